// The zone of all times, said beside them in the corner of the lanes' header, and switched there: the reader's own or UTC.

import { byId, h } from 'lb/dom';
import { setZone, zone, zoneShown } from 'lb/format';
import { text } from 'lb/i18n';
import { chooseZone } from 'lb/theme';

export class ZoneSwitch {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.button = h('button', { class: 'zone', on: { click: () => this.switch(zoneShown() === 'utc' ? 'local' : 'utc') } });
    this.told = '';
    byId('map').after(this.button);
    this.render(null);
  }

  /** @param {import('lb/format').Zone} next */
  switch(next) {
    setZone(next);
    chooseZone(next);
    this.onChange();
  }

  /** The zone is that of the moment shown: summer time has another. @param {import('lb/fold').DialogueMap | null} map */
  render(map) {
    const last = map?.turns.at(-1);
    const name = zone(last?.said_at ?? last?.at ?? Date.now() / 1000);
    const title = text(zoneShown() === 'utc' ? 'zone.utc' : 'zone.local', { zone: name });
    const hidden = map?.about.timed === false;
    const sign = `${hidden} ${title}`;
    if (sign === this.told) return;
    this.told = sign;
    this.button.hidden = hidden;
    this.button.textContent = name;
    this.button.title = title;
    this.button.setAttribute('aria-label', title);
  }
}
