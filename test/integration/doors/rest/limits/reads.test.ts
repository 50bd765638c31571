// The read limit of each key, over every protocol that serves reads.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

/** 120 reads a minute: 20 at once, and two a second. */
const BURST = 20;
const service = await startTestService({
  limits: true,
  nameserver: false,
  settings: { ZONESTEAD_READS_PER_MINUTE: '120', ZONESTEAD_PDNS_API: 'on' },
});
const { request, url } = service;
const zone = await service.zone('reads.example');

/** Reads until the limit refuses one. @returns the number of reads before, and the refused one */
async function readUntilRefused(read: () => Promise<Reply>): Promise<{ count: number; last: Reply }> {
  for (let count = 0; count < 5 * BURST; count += 1) {
    const last = await read();
    if (last.status !== 200) return { count, last };
  }
  throw new Error('no read was refused');
}

test('a key that reads in a loop is 429 rate_limited with Retry-After and what to do', async () => {
  const key = await service.key();
  const { count, last } = await readUntilRefused(() => request('GET', `/zones/${zone.id}`, undefined, key.text));
  expect(count).toBeGreaterThanOrEqual(BURST);
  expect(refusal(last)).toBe('429 rate_limited');
  expect(last.headers['retry-after']).toBe('1');
  expect(last.body.message).toBe(
    'Too many reads with this key: 20 at once and 120 a minute are allowed. Try again after Retry-After, and read lists in place of single objects.',
  );
  expect(await service.metrics()).toMatch(/^zonestead_api_reads_limited_total [1-9]/m);
});

test('the loop of one key does not slow another key, and its own writes still pass', async () => {
  const [loop, other] = [await service.key(), await service.key()];
  await readUntilRefused(() => request('GET', '/zones', undefined, loop.text));
  await Promise.all(Array.from({ length: 50 }, () => request('GET', '/zones', undefined, loop.text)));
  for (let at = 0; at < BURST; at += 1) {
    expect((await request('GET', '/zones', undefined, other.text)).status).toBe(200);
  }
  const record = { name: 'written', type: 'A', content: '192.0.2.1' };
  expect((await request('POST', `/zones/${zone.id}/records`, record, loop.text)).status).toBe(201);
});

test('writes and refused writes count as no reads', async () => {
  const key = await service.key();
  const write = (at: number) =>
    request('POST', `/zones/${zone.id}/records`, { name: `w${at}`, type: 'A', content: '192.0.2.1' }, key.text);
  await Promise.all(Array.from({ length: 30 }, (_, at) => write(at)));
  for (let at = 0; at < BURST; at += 1) {
    expect((await request('GET', '/zones', undefined, key.text)).status).toBe(200);
  }
});

test('reads over the PowerDNS API count in the same bucket as those of REST', async () => {
  const key = await service.key();
  const read = async () => {
    const answer = await fetch(`${url}/api/v1/servers/localhost/zones`, { headers: { 'x-api-key': key.text } });
    return { status: answer.status, body: await answer.json(), headers: Object.fromEntries(answer.headers) } as never;
  };
  const { last } = await readUntilRefused(read);
  expect([last.status, last.headers['retry-after']]).toEqual([429, '1']);
  expect((last.body as { error: string }).error).toContain('Too many reads');
  expect(refusal(await request('GET', '/zones', undefined, key.text))).toBe('429 rate_limited');
});

test('a large answer counts as more reads', async () => {
  const large = await service.zone('large-reads.example');
  const text = `"${'x'.repeat(250)}"`;
  const file = Array.from({ length: 3_000 }, (_, at) => `r${at} 300 IN TXT ${text}`).join('\n');
  const headers = { 'content-type': 'text/dns' };
  expect((await request('PUT', `/zones/${large.id}/zonefile`, file, undefined, headers)).status).toBe(200);
  const key = await service.key();
  const { count } = await readUntilRefused(() => request('GET', `/zones/${large.id}/zonefile`, undefined, key.text));
  // About 850 KB each: 13 reads.
  expect(count).toBeLessThan(5);
});

test('a wrong key is 401 as often as it comes, and takes no reads of a right one', async () => {
  const key = await service.key();
  const wrong = `${key.text.slice(0, -4)}0000`;
  for (let at = 0; at < 2 * BURST; at += 1) {
    expect(refusal(await request('GET', '/zones', undefined, wrong))).toBe('401 unauthorized');
  }
  expect((await request('GET', '/zones', undefined, key.text)).status).toBe(200);
});
