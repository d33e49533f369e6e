// Recordings from files: dropped anywhere on the page, or picked. One after the other, with progress and one sentence each.

import { Refused } from 'lb/api';
import { byId, fill, h, plain } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { voice } from 'lb/voice';

const MOST = 256 * 1024 * 1024;

export class Importing {
  /** @param {import('lb/api').Api} api @param {{onDone: (keys: string[]) => void, onToast: (message: string) => void, other: (file: File) => boolean}} reactions `other` takes a dropped file that is no recording */
  constructor(api, reactions) {
    this.api = api;
    this.reactions = reactions;
    /** @type {File[]} */
    this.waiting = [];
    this.busy = false;
    /** @type {HTMLInputElement | null} */
    this.input = null;
    this.over = h('div', { class: 'drop', hidden: true });
    this.progress = h('div', { class: 'toast progress', hidden: true });
    document.body.append(this.over);
    let depth = 0;
    /** @param {DragEvent} event */
    const files = (event) => event.dataTransfer?.types.includes('Files') ?? false;
    addEventListener('dragenter', (event) => {
      if (!files(event)) return;
      depth += 1;
      fill(this.over, h('div', null, icon('open'), text('import.drop')));
      this.over.hidden = false;
    });
    addEventListener('dragleave', (event) => {
      if (!files(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth) return;
      this.over.hidden = true;
      for (const each of document.querySelectorAll('[data-drop]')) each.classList.remove('dropping');
    });
    /** What takes files itself, and the pointer is over it. @param {DragEvent} event */
    const taker = (event) => (event.target instanceof Element ? event.target.closest('[data-drop]') : null);
    addEventListener('dragover', (event) => {
      if (!files(event)) return;
      event.preventDefault();
      const own = taker(event);
      this.over.hidden = own !== null;
      for (const each of document.querySelectorAll('[data-drop]')) each.classList.toggle('dropping', each === own);
    });
    addEventListener('drop', (event) => {
      if (!files(event)) return;
      event.preventDefault();
      depth = 0;
      this.over.hidden = true;
      const own = taker(event);
      own?.classList.remove('dropping');
      if (own) own.dispatchEvent(new CustomEvent('files', { detail: [...(event.dataTransfer?.files ?? [])] }));
      else this.take([...(event.dataTransfer?.files ?? [])].filter((file) => !this.reactions.other(file)));
    });
  }

  pick() {
    // Kept here: one that nothing holds may be gone, and with it what was chosen, before the reader has chosen.
    const input = this.input = h('input', { type: 'file', multiple: true, on: { change: () => this.take([...(input.files ?? [])]) } });
    input.click();
  }

  /** @param {File[]} files */
  take(files) {
    this.waiting.push(...files);
    if (!this.busy) this.#run();
  }

  async #run() {
    this.busy = true;
    /** @type {string[]} */
    const keys = [];
    for (let file = this.waiting.shift(); file; file = this.waiting.shift()) keys.push(...(await this.#send(file)));
    this.busy = false;
    this.progress.remove();
    if (keys.length) this.reactions.onDone(keys);
  }

  /** @param {File} file @returns {Promise<string[]>} keys of the sessions it brought */
  async #send(file) {
    const name = plain(file.name, 60);
    if (file.size > MOST) {
      this.reactions.onToast(text('import.large', { name }));
      return [];
    }
    byId('toasts').append(this.progress);
    this.progress.hidden = false;
    voice.say(text('import.sending', { name }));
    const bar = h('progress', { max: '1', 'aria-label': text('import.sending', { name }) });
    fill(this.progress, h('span', null, text('import.sending', { name })), bar);
    try {
      const answer = await this.api.upload('api/import', file, (part) => {
        if (part < 1) bar.value = part;
        else bar.removeAttribute('value'); // sent; the server is still reading it
      });
      /** @type {{key: string, events: number, new: boolean}[]} */
      const sessions = answer?.sessions ?? [];
      const events = sessions.reduce((sum, session) => sum + session.events, 0);
      this.reactions.onToast(text(sessions.some((session) => session.new) ? 'import.done' : 'import.again', { name, sessions: sessions.length, events }));
      return sessions.map((session) => session.key);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const why = error.sentenceOn(file.name) || text(error.status ? 'import.unread' : 'error.away');
      this.reactions.onToast([text('import.failed', { name, why: plain(why, 300) }), plain(error.remedy, 200)].filter(Boolean).join(' '));
      return [];
    } finally {
      this.progress.hidden = true;
    }
  }
}
