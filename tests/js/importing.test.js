// What the page says of a file that could not be imported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutName } from 'lb/importing';

test('the name of a file that could not be imported is said once', () => {
  assert.equal(withoutName('bad.json: no known format fits (rasa: no records)', 'bad.json'), 'no known format fits (rasa: no records)');
  assert.equal(withoutName('bad.json line 3: expected a turn, found 7', 'bad.json'), 'line 3: expected a turn, found 7');
  assert.equal(withoutName('bad.jsonl: no', 'bad.json'), 'bad.jsonl: no', 'another file');
  assert.equal(withoutName('the map is full', ''), 'the map is full');
  assert.equal(withoutName('', 'bad.json'), '');
});
