// Why a delta could not be folded into the map.

/** `key` and `params` are words of the interface, so the reason can be told in the reader's language. */
export class Unapplied extends Error {
  /** @param {string} key @param {Record<string, string>} params */
  constructor(key, params) {
    super(`${key} ${Object.values(params).join(' ')}`);
    this.name = 'Unapplied';
    this.key = key;
    this.params = params;
  }
}

/** @param {unknown} error @returns {{key: string, params: Record<string, string>}} */
export function reasonOf(error) {
  if (error instanceof Unapplied) return { key: error.key, params: error.params };
  return { key: 'unapplied.other', params: { why: error instanceof Error ? error.message : String(error) } };
}
