// The load guard: the requests that it refuses under overload, and the requests that are still served.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdOpen, sendBare } from '../../support/http/bare.ts';
import { refusal } from '../../support/http/requests.ts';
import { CHART_MEMORY, startApiProcess } from '../../support/service/api-process.ts';
import { CALM, ONE, startLoadedService, TWO } from '../../support/service/overload.ts';

const { service, value, level } = await startLoadedService({ ZONESTEAD_CONSOLE: 'on', ZONESTEAD_BODY_MEMORY_MB: '20' });
const { request, url } = service;
const zone = await service.zone('overload.example');
const anonymous = (path: string) => fetch(`${url}${path}`, { redirect: 'manual' });

test('the metrics are there from the start', async () => {
  expect([await value('load_level'), await value('load_delay_seconds'), await value('body_bytes')]).toEqual([0, 0, 0]);
  for (const kind of ['anonymous', 'unknown', 'heavy', 'large', 'body']) {
    expect(await value(`load_refused_total{kind="${kind}"}`)).toBe(0);
  }
});

describe('at level 1', () => {
  beforeAll(async () => {
    await request('GET', '/zones');
    await level(1, ONE);
  });
  afterAll(() => level(0, CALM));

  test.each(['/v1/dns/zones', '/nothing', '/console/sign-in', '/v1/dns/openapi.json', '/acme/acme-dns/health'])(
    'at level 1, a request without a key is 503 busy with Retry-After: %s',
    async (path) => {
      const answer = await anonymous(path);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await answer.text()).toContain('overloaded');
    },
  );

  test('at level 1, a key that was used recently is served, for small and large requests', async () => {
    for (let at = 0; at < 60; at++) expect((await request('GET', `/zones/${zone.id}`)).status).toBe(200);
    expect((await request('GET', `/zones/${zone.id}/zonefile`)).status).toBe(200);
    expect(
      (await request('POST', `/zones/${zone.id}/records`, { name: 'a', type: 'A', content: '192.0.2.1' })).status,
    ).toBe(201);
  });

  test('at level 1, 20 unknown keys a second are looked up, and a flood of them is refused before it reaches the database', async () => {
    const fresh = await service.key();
    const before = await value('load_refused_total{kind="unknown"}');
    const wrong = () => request('GET', '/zones', undefined, `yk_${'a'.repeat(12)}_${'0'.repeat(64)}`);
    const statuses = (await Promise.all(Array.from({ length: 120 }, wrong))).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 503).length;
    // The flood uses the places of one or two seconds, or more on a slow machine.
    expect(refused).toBeGreaterThan(0);
    expect(await value('load_refused_total{kind="unknown"}')).toBe(before + refused);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    await sleep(1_100);
    expect((await request('GET', '/zones', undefined, fresh.text)).status).toBe(200);
    // The key was used recently now.
    for (let at = 0; at < 40; at++) expect((await request('GET', '/zones', undefined, fresh.text)).status).toBe(200);
  });

  test('at level 1, the key that makes the most requests gives way, and another key is served', async () => {
    const [loop, other] = [await service.key(), await service.key()];
    const read = (text: string) => request('GET', '/zones', undefined, text);
    const before = await value('load_refused_total{kind="heavy"}');
    for (const { text } of [loop, other]) expect((await read(text)).status).toBe(200);
    let refused: Awaited<ReturnType<typeof read>> | undefined;
    const others: number[] = [];
    const until = performance.now() + 20_000;
    while (refused === undefined && performance.now() < until) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => read(loop.text)));
      refused = replies.find(({ status }) => status === 503);
      others.push((await read(other.text)).status);
    }
    expect(refusal(refused as never)).toBe('503 busy');
    expect(refused?.body.message).toContain('this key makes the most requests');
    expect(await value('load_refused_total{kind="heavy"}')).toBeGreaterThan(before);
    expect(new Set(others)).toEqual(new Set([200]));
  });

  test('at level 1, a key that became invalid is still judged by the database', async () => {
    const key = await service.key();
    expect((await request('GET', '/zones', undefined, key.text)).status).toBe(200);
    await service.sql`update api_keys set revoked_at = now() where id = ${key.id}`;
    expect(refusal(await request('GET', '/zones', undefined, key.text))).toBe('401 unauthorized');
  });
});

describe('at level 2', () => {
  beforeAll(async () => {
    await request('GET', '/zones');
    await level(2, TWO);
  });
  afterAll(() => level(0, CALM));

  const path = `/zones/${zone.id}`;
  test.each([
    ['a zone file', () => request('GET', `${path}/zonefile`)],
    ['an import', () => request('PUT', `${path}/zonefile`, 'a A 192.0.2.1', undefined, { 'content-type': 'text/dns' })],
    ['a complete list', () => request('GET', `${path}/records`)],
    ['a body above 64 KiB', () => request('POST', '/zones', `{"x":"${'x'.repeat(70_000)}"}`)],
  ])('at level 2, %s is refused', async (_, send) => {
    const before = await value('load_refused_total{kind="large"}');
    const reply = await send();
    expect([refusal(reply), reply.headers['retry-after']]).toEqual(['503 busy', '2']);
    expect(await value('load_refused_total{kind="large"}')).toBe(before + 1);
  });

  test('at level 2, small requests are served', async () => {
    expect((await request('GET', path)).status).toBe(200);
    expect((await request('GET', `${path}/records?limit=10`)).status).toBe(200);
    expect((await request('POST', `${path}/records`, { name: 'b', type: 'A', content: '192.0.2.1' })).status).toBe(201);
    expect(refusal(await request('GET', '/zones', undefined, null))).toBe('503 busy');
  });
});

describe('bodies in memory', () => {
  const half = 7 * 2 ** 20;
  const put = (token: string) =>
    `PUT /v1/dns/zones/${zone.id}/zonefile HTTP/1.1\r\nHost: a\r\nContent-Type: text/dns\r\nAuthorization: Bearer ${token}\r\n`;
  const sized = (token: string, bytes: number) => `${put(token)}Content-Length: ${bytes}\r\n\r\n; `;

  test('bodies in memory are bounded for one key and in total, and their memory is free again after the connection closed', async () => {
    const [one, two, three] = [await service.key(), await service.key(), await service.key()];
    const first = await holdOpen(url, sized(one.text, half));
    await expect.poll(() => value('body_bytes')).toBe(half);
    // Each key may have 10 of the 20 MiB.
    const second = await sendBare(url, sized(one.text, half));
    expect([second.status, second.body.error, second.closed]).toEqual([503, 'busy', true]);
    const other = await holdOpen(url, sized(two.text, half));
    await expect.poll(() => value('body_bytes')).toBe(2 * half);
    expect((await sendBare(url, sized(three.text, half))).status).toBe(503);
    // Small bodies are admitted.
    expect(
      (await request('POST', `/zones/${zone.id}/records`, { name: 'c', type: 'A', content: '192.0.2.1' })).status,
    ).toBe(201);
    first.destroy();
    await expect.poll(() => value('body_bytes')).toBe(half);
    other.destroy();
    await expect.poll(() => value('body_bytes')).toBe(0);
    expect(await value('load_refused_total{kind="body"}')).toBe(2);
  });

  test('bodies in memory are counted as they arrive if their length is unknown', async () => {
    const key = await service.key();
    const holding = await holdOpen(url, sized(key.text, half));
    await expect.poll(() => value('body_bytes')).toBe(half);
    const part = `${(2 ** 20).toString(16)}\r\n${'; x'.padEnd(2 ** 20, 'x')}\r\n`;
    const reply = await sendBare(url, `${put(key.text)}Transfer-Encoding: chunked\r\n\r\n${part.repeat(4)}`);
    expect([reply.status, reply.body.error]).toEqual([503, 'busy']);
    holding.destroy();
    await expect.poll(() => value('body_bytes')).toBe(0);
    const whole = await sendBare(url, `${put(key.text)}Transfer-Encoding: chunked\r\n\r\n${part}0\r\n\r\n`);
    expect(whole.status).toBe(200);
    await expect.poll(() => value('body_bytes')).toBe(0);
  });
});

describe('a process with the memory of the chart', async () => {
  const api = await startApiProcess(service, { ...CHART_MEMORY, ZONESTEAD_LIMITS: 'off' });

  test('a process with the memory of the chart with a blocked event loop refuses unknown keys for a moment, answers its probes, and recovers', async () => {
    expect((await api.request('GET', '/zones')).status).toBe(200);
    expect(await api.metric('api_load_level')).toBe(0);
    const unknown = async () => (await fetch(`${api.url}/nothing`)).status;
    // The moment lasts two seconds, which a busy machine may miss.
    let isRefused = false;
    for (let attempt = 0; !isRefused && attempt < 5; attempt += 1) {
      process.kill(api.part.pid, 'SIGSTOP');
      await sleep(3_000);
      process.kill(api.part.pid, 'SIGCONT');
      const until = performance.now() + 5_000;
      while (!isRefused && performance.now() < until) isRefused = (await unknown()) === 503;
    }
    expect(isRefused).toBe(true);
    expect((await api.request('GET', '/zones')).status).toBe(200);
    expect((await api.health('/readyz')).status).toBe(200);
    expect(await api.metric('api_load_refused_total{kind="anonymous"}')).toBeGreaterThan(0);
    await expect.poll(unknown).toBe(404);
  });

  test('a process with the memory of the chart never holds more bodies than its limit, and keeps serving another team', async () => {
    const keys = await Promise.all([service.key(), service.key(), service.key()]);
    const head = (token: string) =>
      `PUT /v1/dns/zones/${zone.id}/zonefile HTTP/1.1\r\nHost: a\r\nContent-Type: text/dns\r\nAuthorization: Bearer ${token}\r\n`;
    // All octets of each body except the last, so that the process must hold each body that it admits.
    const bytes = 7 * 2 ** 20;
    const body = `Content-Length: ${bytes}\r\n\r\n${'; x'.padEnd(bytes - 1, 'x')}`;
    const sockets = await Promise.all(
      keys.flatMap(({ text }) => Array.from({ length: 5 }, () => holdOpen(api.url, `${head(text)}${body}`))),
    );
    let refused = 0;
    for (const socket of sockets) {
      socket.on('data', (chunk) => {
        if (String(chunk).startsWith('HTTP/1.1 503')) refused += 1;
      });
    }
    // Each key may have 16 of the 32 MiB: two bodies of one key, and four of the three keys together.
    await expect.poll(() => refused).toBe(11);
    expect(await api.metric('api_body_bytes')).toBe(4 * bytes);
    expect((await api.request('GET', `/zones/${zone.id}`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => api.metric('api_body_bytes')).toBe(0);
    expect((await api.health('/readyz')).status).toBe(200);
  });
});
