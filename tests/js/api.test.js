import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { Api, Refused } from 'lb/api';

/** @type {import('node:http').Server} */
let server;
const api = new Api('');

before(async () => {
  server = createServer((request, response) => {
    const [, status, how] = /** @type {string} */ (request.url).split('/');
    if (how === 'silent') return; // as a line of which only this end is left
    if (how === 'stalled' || how === 'slow') {
      response.writeHead(200);
      response.write('{"nodes": ');
      let more = how === 'slow' ? 12 : 0;
      const drip = () => (more-- ? response.write(' ', () => setTimeout(drip, 100)) : how === 'slow' && response.end('[1]}'));
      drip();
      return;
    }
    response.writeHead(Number(status), { 'Content-Type': 'application/json', ...(how === 'cut' && { 'Content-Length': 1000 }) });
    if (how !== 'cut') response.end(how === 'half' ? '{"nodes": [1, 2' : '{"error": "no"}');
    else response.write('{"nodes": [1, 2', () => setImmediate(() => request.socket.destroy()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  Object.assign(globalThis, { document: { baseURI: `http://127.0.0.1:${port}/` } });
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test('an answer that breaks off is a server that could not be reached, so that it is asked again', async () => {
  const away = (/** @type {unknown} */ error) => error instanceof Refused && error.status === 0;
  await assert.rejects(api.get('200/cut'), away);
  await assert.rejects(api.get('200/half'), away);
  await assert.rejects(api.file('200/cut', {}), away);
});

test('a refusal keeps its status when its sentence breaks off', async () => {
  await assert.rejects(api.get('404/cut'), (error) => error instanceof Refused && error.status === 404 && error.message === '');
  await assert.rejects(api.get('404/whole'), (error) => error instanceof Refused && error.status === 404 && error.message === 'no');
});

test('what the reader no longer wants is no refusal', async () => {
  const wanted = new AbortController();
  wanted.abort();
  await assert.rejects(api.get('200/whole', {}, wanted.signal), (error) => !(error instanceof Refused));
});

test('a server that sends nothing is away, before its answer and in the middle of it; one that goes on sending is not', async () => {
  const away = (/** @type {unknown} */ error) => error instanceof Refused && error.status === 0;
  await assert.rejects(api.get('200/silent', {}, undefined, 100), away);
  await assert.rejects(api.get('200/stalled', {}, undefined, 100), away);
  assert.deepEqual(await api.get('200/slow', {}, undefined, 1000), { nodes: [1] }); // all of it takes longer than that
});

test('what the reader leaves while nothing comes is no refusal', async () => {
  const wanted = new AbortController();
  const asked = api.get('200/silent', {}, wanted.signal, 60_000);
  wanted.abort();
  await assert.rejects(asked, (error) => !(error instanceof Refused));
});
