// What the page says of a file that could not be imported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refused } from 'lb/api';

test('the name of a file that could not be imported is said once', () => {
  /** @param {string} message @param {string} name */
  const said = (message, name) => new Refused(400, message).sentenceOn(name);
  assert.equal(said('bad.json: no known format fits (rasa: no records)', 'bad.json'), 'no known format fits (rasa: no records)');
  assert.equal(said('bad.json line 3: expected a turn, found 7', 'bad.json'), 'line 3: expected a turn, found 7');
  assert.equal(said('bad.jsonl: no', 'bad.json'), 'bad.jsonl: no', 'another file');
  assert.equal(said('the map is full', ''), 'the map is full');
  assert.equal(said('', 'bad.json'), '');
});
