// A scene to paint and to pick from, 1128 by 848 as beside both panels on a 1600 by 1000 screen.
import { Layout, chooseStaves } from 'lb/layout';
import { Lettering } from 'lb/lettering';
import { Scene } from 'lb/scene';
import { fakeContext } from './context.js';

/** @param {import('lb/fold').DialogueMap} map @param {number} from @param {number} to */
export function sceneOf(map, from, to) {
  const layout = new Layout();
  layout.width = 1128;
  layout.height = 848;
  layout.from = from;
  layout.to = to;
  const { flow, state, knowledge } = map.rows.of;
  layout.staves = chooseStaves(layout.height, { flow: true, state: true, knowledge: true }, { flow: flow.length, state: state.length, knowledge: knowledge.length });
  const tokens = /** @type {any} */ (new Proxy({}, { get: (_, name) => String(name) }));
  const scene = new Scene(map, layout, new Lettering(fakeContext()), tokens, (key, params) => (params ? `${key} ${Object.values(params).join(' ')}` : key));
  scene.refresh();
  scene.begin();
  return scene;
}
