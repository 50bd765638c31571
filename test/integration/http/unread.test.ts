// Bodies that no route reads: unknown paths, refused methods, missing keys; and JSON that is too complex to parse. None
// of them may delay other requests.
import { describe, expect, test } from 'vitest';
import { holdOpen, sendBare } from '../../support/http/bare.ts';
import { refusal } from '../../support/http/requests.ts';
import { startApiProcess } from '../../support/service/api-process.ts';
import { startTestService } from '../../support/service/service.ts';

/** The time limit of a request. */
const LIMIT_MS = 100_000;
const service = await startTestService({
  nameserver: false,
  requestMs: LIMIT_MS,
  settings: { ZONESTEAD_CONSOLE: 'on' },
  // A form without a token, sent to an address that does not exist.
  warnings: ['Missing csrf secret'],
});
const { url, request, admin } = service;
const zone = await service.zone('unread.example');
const DEEP = `${'['.repeat(524_000)}${']'.repeat(524_000)}`;
const head = (method: string, path: string, headers = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}`;

test.each([
  ['where no route is', head('POST', '/nothing'), 404],
  ['below /v1', head('PUT', '/v1/dns/nothing'), 404],
  ['below /acme', head('POST', '/acme/nothing'), 404],
  ['below /console', head('POST', '/console/nothing'), 403],
  ['where the method is refused', head('PATCH', '/v1/dns/zones', `Authorization: Bearer ${admin.text}\r\n`), 405],
  ['without a key', head('POST', '/v1/dns/zones'), 401],
])(
  'the answer does not wait for a body: %s: the answer comes before the body, and the connection is closed',
  async (_, start, status) => {
    for (const framing of ['Content-Length: 1000000\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
      const since = performance.now();
      const socket = await holdOpen(url, `${start}${framing}`);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      await new Promise((resolve) => socket.once('close', resolve));
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\\nconnection: close\\r\\n`, 'i'));
      expect(performance.now() - since).toBeLessThan(LIMIT_MS / 2);
    }
  },
);

test('the answer does not wait for a body: a small body is dropped, and the connection stays open', async () => {
  const bytes = `${head('POST', '/nothing', 'Content-Length: 10\r\n')}\r\n["a","b"] `;
  const socket = await holdOpen(url, bytes);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/^HTTP\/1.1 404 /);
  socket.write(bytes);
  await expect.poll(() => text.split('HTTP/1.1 404 ').length).toBe(3);
  socket.destroy();
});

test('the answer does not wait for a body: broken JSON for an unknown path gets the same answer as no body', async () => {
  const broken = await sendBare(url, `${head('POST', '/nothing', 'Content-Length: 1\r\n')}\r\n{`);
  expect([broken.status, broken.body.error]).toEqual([404, 'not_found']);
});

const wide = `[${'1,'.repeat(400_000)}1]`;
test.each([
  ['nested', DEEP, /nested too deep: at most 32/],
  ['wide', wide, /too many values: at most 50000/],
])(
  'JSON beyond the limits: %s is answered 400 with the limit, on every route that reads JSON',
  async (_, body, message) => {
    for (const [method, path] of [
      ['POST', '/zones'],
      ['POST', `/zones/${zone.id}/records`],
      ['POST', `/zones/${zone.id}/records:batch`],
      ['DELETE', `/zones/${zone.id}`],
    ] as const) {
      const reply = await request(method, path, body);
      expect(refusal(reply)).toBe('400 bad_request');
      expect(reply.body.message).toMatch(message);
    }
    const acme = await fetch(`${url}/acme/httpreq/present`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`any:${admin.text}`)}`, 'content-type': 'application/json' },
      body,
    });
    expect([acme.status, await acme.text()]).toEqual([400, expect.stringMatching(message)]);
  },
);

test('32 levels of JSON are read', async () => {
  const reply = await request('POST', '/zones', `${'['.repeat(32)}${']'.repeat(32)}`);
  expect(reply.body.message).not.toMatch(/nested/);
});

describe('a process that gets deep JSON on many connections', async () => {
  const api = await startApiProcess(service);
  test.each([
    ['without a key', '/nothing', ''],
    ['with a key', `/v1/dns/zones/${zone.id}/records:batch`, `Authorization: Bearer ${admin.text}\r\n`],
  ])('a process that gets deep JSON on many connections: %s keeps serving others', async (_, path, headers) => {
    // The attackers run in this process and use a part of the time, also with texts that are parsed at once.
    const plain = await medianDuring(path, headers, JSON.stringify('x'.repeat(DEEP.length - 2)));
    // Without the limits: 2.5 s on a quiet machine.
    expect(await medianDuring(path, headers, DEEP)).toBeLessThan(1_000 + 4 * plain);
  });

  /** The median time of reads in ms, while four clients send this body again and again. */
  async function medianDuring(path: string, headers: string, body: string): Promise<number> {
    let flooding = true;
    const bytes = `${head('POST', path, headers)}Content-Length: ${body.length}\r\n\r\n${body}`;
    const flood = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (flooding) await sendBare(api.url, bytes).catch(() => undefined);
      }),
    );
    const times: number[] = [];
    for (let at = 0; at < 30; at++) {
      const since = performance.now();
      expect((await api.request('GET', `/zones/${zone.id}`)).status).toBe(200);
      times.push(performance.now() - since);
    }
    flooding = false;
    await flood;
    return times.sort((a, b) => a - b)[15] as number;
  }
});
