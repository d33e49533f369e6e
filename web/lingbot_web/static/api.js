// The server's HTTP side. Addresses are relative to the page, so a sub-path proxy works; the token goes into a header.

const STORED = 'lingbot-map.token';

/** Who is asked for something and sends nothing for so long, in ms, is away: a half-open line says no more than that. */
export const SILENT_MS = 20_000;

/** The server said no, or could not be reached (`status` 0). `message` is its sentence, `remedy` what it advises. */
export class Refused extends Error {
  /** @param {number} status @param {string} message @param {string} [remedy] @param {string} [code] which refusal it is, where the server says */
  constructor(status, message, remedy = '', code = '') {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.remedy = remedy;
    this.code = code;
  }

  /** The sentence without the name of the file before it, for a sentence that has it already. @param {string} name */
  sentenceOn(name) {
    const rest = name && this.message.startsWith(name) ? this.message.slice(name.length) : '';
    return /^:? /.test(rest) ? rest.replace(/^:? +/, '') : this.message;
  }
}

/** @returns {string} the token this tab was opened with, or "" */
export function storedToken() {
  try {
    return sessionStorage.getItem(STORED) ?? '';
  } catch {
    return ''; // storage is off in some private windows: the token then lives as long as the page
  }
}

/** @param {string} token */
export function storeToken(token) {
  try {
    sessionStorage.setItem(STORED, token);
  } catch {
    // as above
  }
}

export class Api {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** Whether there is no server: the page was opened from disk. */
  get standalone() {
    return false;
  }

  /** What a page from disk says of itself; here there is nothing to say. @param {HTMLElement} _host */
  present(_host) {}

  /** @param {string} path @param {Record<string, string | number | undefined>} [query] */
  address(path, query = {}) {
    const url = new URL(path, document.baseURI);
    url.hash = '';
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
    return url;
  }

  /** @param {Record<string, string | number | undefined>} query */
  socket(query) {
    const url = this.address('ws', query);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(url, this.token ? ['lingbot.v1', `token.${this.token}`] : ['lingbot.v1']);
  }

  /**
   * Throws Refused, also where nothing comes for `silent` ms, before the answer or in the middle of it.
   * @param {string} path @param {Record<string, string | number | undefined>} [query] @param {AbortSignal} [signal] @param {number} [silent]
   * @returns {Promise<any>}
   */
  async get(path, query, signal, silent = SILENT_MS) {
    const own = new AbortController();
    const leave = () => own.abort();
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    let timer = setTimeout(leave, silent);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(leave, silent);
    };
    try {
      return await this.#ask('GET', this.address(path, query), undefined, own.signal, (response) => {
        heard();
        return new Response(response.body?.pipeThrough(new TransformStream({ transform: (chunk, out) => { heard(); out.enqueue(chunk); } }))).json();
      });
    } catch (error) {
      throw own.signal.aborted && !signal?.aborted ? new Refused(0, '') : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** A file that the server makes. @param {string} path @param {Record<string, string | number | undefined>} query @returns {Promise<Blob>} */
  file(path, query) {
    return this.#ask('GET', this.address(path, query), undefined, undefined, (response) => response.blob());
  }

  /** @param {string} path @param {unknown} body @param {AbortSignal} [signal] @returns {Promise<any>} */
  post(path, body, signal) {
    return this.#ask('POST', this.address(path), JSON.stringify(body), signal);
  }

  /** An answer that comes line by line, each of them JSON. @param {string} path @param {unknown} body @param {(line: any) => void} heard @param {AbortSignal} [signal] @returns {Promise<void>} */
  lines(path, body, heard, signal) {
    return this.#ask('POST', this.address(path), JSON.stringify(body), signal, (response) => readLines(response, heard));
  }

  /** @param {string} path @returns {Promise<any>} */
  remove(path) {
    return this.#ask('DELETE', this.address(path));
  }

  /**
   * Sends a file; `onProgress` hears 0..1. (XMLHttpRequest, because fetch tells nothing about an upload under way.)
   * @param {string} path @param {File} file @param {(part: number) => void} onProgress @returns {Promise<any>}
   */
  upload(path, file, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', this.address(path, { name: file.name }));
      if (this.token) request.setRequestHeader('Authorization', `Bearer ${this.token}`);
      request.setRequestHeader('Content-Type', 'application/octet-stream');
      request.upload.addEventListener('progress', (event) => event.lengthComputable && onProgress(event.loaded / event.total));
      request.addEventListener('load', () => {
        const answer = parse(request.responseText);
        if (request.status >= 200 && request.status < 300) resolve(answer);
        else reject(refusal(request.status, answer));
      });
      request.addEventListener('error', () => reject(new Refused(0, '')));
      request.send(file);
    });
  }

  /** @param {string} method @param {URL} url @param {string} [body] @param {AbortSignal} [signal] @param {(response: Response) => Promise<any>} [read] */
  async #ask(method, url, body, signal, read = (response) => response.json()) {
    /** @type {Record<string, string>} */
    const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let response;
    try {
      response = await fetch(url, { method, headers, body: body ?? null, signal: signal ?? null, credentials: 'same-origin' });
      // The line may break in the middle of an answer, too.
      if (response.ok) return response.status === 204 ? null : await read(response);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refused(0, '');
    }
    throw refusal(response.status, parse(await response.text().catch(() => '')));
  }
}

/** @param {Response} response @param {(line: any) => void} heard */
async function readLines(response, heard) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) heard(parse(line));
    if (done) return;
  }
}

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {number} status @param {any} answer */
function refusal(status, answer) {
  return new Refused(status, typeof answer?.error === 'string' ? answer.error : '', typeof answer?.remedy === 'string' ? answer.remedy : '', typeof answer?.code === 'string' ? answer.code : '');
}
