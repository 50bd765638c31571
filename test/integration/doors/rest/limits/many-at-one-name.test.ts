// Requests of thousands of records at one name: each is counted before it is judged, and costs little processor time.
// The bounds are several times the figures of an idle machine, and a tenth of those of an implementation that looks at
// all records for each record.
import { expect, test } from 'vitest';
import type { TestKey } from '../../../../support/service/keys.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, limits: true });
const zone = await service.zone('many.example');
const address = (n: number) => `10.0.${n >> 8}.${n & 255}`;
const count = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));

async function patch(key: TestKey, rrset: object | object[]) {
  const reply = await fetch(`${service.url}/api/v1/servers/localhost/zones/many.example.`, {
    method: 'PATCH',
    headers: { 'x-api-key': key.text, 'content-type': 'application/json' },
    body: JSON.stringify({ rrsets: [rrset].flat() }),
  });
  return { status: reply.status, left: left(reply.headers.get('ratelimit')), text: await reply.text() };
}

function left(header: unknown): number {
  return Number(/r=(\d+)/.exec(String(header))?.[1]);
}

/** The processor time of this process, which the service is a part of, in ms. */
async function costOf<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, result };
}

const extend = (n: number) => ({
  ...{ name: 'www.many.example.', type: 'A', ttl: 60, changetype: 'EXTEND' },
  records: [{ content: address(n) }],
});

test('too many EXTEND of one RRset are refused before anything else, and count', async () => {
  const key = await service.key({ onlyNames: ['_acme-challenge'], onlyTypes: ['TXT'], recordWrites: 2 });
  const { ms, result } = await costOf(() => patch(key, count(1_000, extend)));
  expect(result).toMatchObject({ status: 422, left: 1, text: expect.stringContaining('more than 200 times') });
  expect(ms).toBeLessThan(1_000);
  // The rights are checked before the plan.
  expect(await patch(key, count(200, extend))).toMatchObject({ status: 403, left: 0 });
  expect(await patch(key, [extend(1)])).toMatchObject({ status: 429 });
});

test('an RRset of 4,000 addresses is written in seconds', async () => {
  const key = await service.key();
  const records = count(4_000, (n) => ({ content: address(n) }));
  const rrset = { name: 'big.many.example.', type: 'A', ttl: 60, changetype: 'REPLACE', records };
  const { ms, result } = await costOf(() => patch(key, rrset));
  expect(result).toMatchObject({ status: 204, left: 30 });
  expect(ms).toBeLessThan(3_000);
});

test('a deletion of an RRset counts as one write for each 100 of its records', async () => {
  const [writer, remover] = [await service.key(), await service.key()];
  const rrset = { name: 'gone.many.example.', type: 'A' };
  const records = count(350, (n) => ({ content: address(n) }));
  const replaced = await patch(writer, { ...rrset, ttl: 60, changetype: 'REPLACE', records });
  expect(replaced).toMatchObject({ status: 204, left: 56 });
  // The request has no record, so nothing but the judgement counts them.
  expect(await patch(remover, { ...rrset, changetype: 'DELETE' })).toMatchObject({ status: 204, left: 56 });
});

test('a delegation to 1,500 servers below it is written in seconds', async () => {
  const key = await service.key();
  const records = count(1_500, (n) => ({ content: `ns${n}.sub.many.example.` }));
  const rrset = { name: 'sub.many.example.', type: 'NS', ttl: 60, changetype: 'REPLACE', records };
  const { ms, result } = await costOf(() => patch(key, rrset));
  expect(result).toMatchObject({ status: 204, left: 45 });
  expect(ms).toBeLessThan(2_000);
});

test('1,000 sets of owners at one name are applied in seconds', async () => {
  const key = await service.key();
  const values = (n: number) => count(4, (at) => ({ content: address(4 * n + at) }));
  const sets = count(1_000, (n) => ({
    ...{ owner: `k8s:a/b/${n}`, name: 'shared', type: 'A', share: true },
    values: values(n),
  }));
  const apply = () => service.request('POST', `/zones/${zone.id}/records:apply`, { sets }, key.text);
  const { ms, result } = await costOf(apply);
  expect([result.status, left(result.headers.ratelimit)]).toEqual([200, 30]);
  expect(ms).toBeLessThan(4_000);
  // Nothing changes, but so many values are not judged for nothing.
  expect(left((await apply()).headers.ratelimit)).toBe(0);
  expect((await apply()).status).toBe(429);
});
