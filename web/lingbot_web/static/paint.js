// One frame of the map. The work is bounded by what the window shows: lanes and rows in view, never the session.
import { Ink } from 'lb/ink';
import { DENSE, GUTTER } from 'lb/layout';
import { paintDensity, paintTicks } from 'lb/paint_density';
import { paintClocks, paintEvidence, paintGaps, paintTags } from 'lb/paint_findings';
import { paintFlow } from 'lb/paint_flow';
import { hiddenMarks, paintColumns, paintGround, paintGutter } from 'lb/paint_gutter';
import { HeaderPainter } from 'lb/paint_header';
import { paintKnowledge } from 'lb/paint_knowledge';
import { paintState } from 'lb/paint_state';
import { mapStyles } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/tokens').Tokens} Tokens */

export class Painter {
  constructor() {
    this.ink = new Ink();
    this.header = new HeaderPainter();
    /** @type {Tokens | null} */
    this.tokens = null;
    /** Marks on rows scrolled away, as the gutter last told. */
    this.hidden = '';
  }

  /**
   * The gutter has a canvas of its own: it stays while the window moves, and the map's is painted over from edge to edge,
   * which spares the browser a copy of the frame before.
   * @param {CanvasRenderingContext2D} ctx already scaled to CSS pixels, as is the next
   * @param {CanvasRenderingContext2D} gutter @param {Scene} scene
   * @param {boolean} whole false: nothing but the window moved since the last frame, so the gutter is still right
   */
  paint(ctx, gutter, scene, whole) {
    if (this.tokens !== scene.tokens) {
      this.tokens = scene.tokens;
      this.ink.use(mapStyles(scene.tokens));
    }
    scene.begin();
    const { layout } = scene;
    const findings = scene.lane < DENSE ? scene.gaps() : scene.findings();
    ctx.fillStyle = scene.tokens.map;
    ctx.fillRect(0, 0, layout.width, layout.height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
    ctx.clip();
    paintGround(ctx, scene);
    paintGaps(ctx, scene, findings);
    if (scene.lane < DENSE) {
      paintDensity(ctx, scene);
      scene.tags.length = 0;
    } else {
      /** @type {{x: number, y: number, level: number}[]} */
      const clocks = [];
      paintKnowledge(scene, this.ink, clocks);
      paintState(scene, this.ink, ctx);
      paintFlow(scene, this.ink);
      paintEvidence(scene, this.ink, findings);
      this.ink.flush(ctx);
      paintClocks(ctx, scene, clocks);
      paintTags(ctx, scene, findings);
    }
    ctx.restore();
    const hidden = layout.staves.staves.map((stave) => hiddenMarks(scene, stave).slice(0, 2).join()).join(' ');
    if (whole) paintGutter(gutter, scene);
    else if (hidden !== this.hidden) paintColumns(gutter, scene);
    this.hidden = hidden;
    this.header.paint(ctx, scene);
    if (scene.lane < DENSE) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
      ctx.clip();
      paintTicks(ctx, scene);
      ctx.restore();
    }
  }
}
