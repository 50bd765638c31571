// Concurrent conditional writers at two replicas: of those that read the same state, exactly one succeeds, and no
// update is lost.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, busyAfterMs: 60_000 });
const { request } = service;
const replica = await service.anotherApi();
const apis = [request, replica.request];
const zone = await service.zone('writers.example');
const at = `/zones/${zone.id}`;
const records = `${at}/records`;
const tagOf = ({ headers }: Reply) => String(headers.etag);
const WRITERS = 24;

/**
 * Sends a change from many writers at once, all with the tag that they read before. @returns how often each status was
 * answered
 */
async function race(
  path: string,
  send: (api: typeof request, i: number, headers: { 'if-match': string }) => Promise<Reply>,
) {
  const headers = { 'if-match': tagOf(await request('GET', path)) };
  const replies = await Promise.all(
    Array.from({ length: WRITERS }, (_, i) => send(apis[i % 2] ?? request, i, headers)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
const ONE_WINS = { 412: WRITERS - 1 };
const address = (i: number) => `192.0.2.${i + 1}`;

test('one of many updates of a record with the same tag is made', async () => {
  const { id } = await service.record(zone, 'one', 'A', '198.51.100.1');
  const path = `${records}/${id}`;
  const put = (api: typeof request, i: number, headers: object) =>
    api('PUT', path, { name: 'one', type: 'A', content: address(i) }, undefined, { ...headers });
  expect(await race(path, put)).toEqual({ 200: 1, ...ONE_WINS });
});

test('one of many comments with the same tag is written, though it changes no serial', async () => {
  const { id } = await service.record(zone, 'comment', 'A', '198.51.100.1');
  const [path, body] = [`${records}/${id}`, { name: 'comment', type: 'A', content: '198.51.100.1' }];
  const put = (api: typeof request, i: number, headers: object) =>
    api('PUT', path, { ...body, comment: `of ${i}` }, undefined, { ...headers });
  expect(await race(path, put)).toEqual({ 200: 1, ...ONE_WINS });
  const batch = (api: typeof request, i: number, headers: object) => {
    const changes = [{ action: 'update', id, record: { ...body, comment: `again ${i}` } }];
    return api('POST', `${records}:batch`, { changes }, undefined, { ...headers });
  };
  expect(await race(records, batch)).toEqual({ 200: 1, ...ONE_WINS });
});

test('one of many creations, batches and zone files with the tag of the same state is made', async () => {
  const counts = await race(records, (api, i, headers) => {
    const record = { name: `n${i}`, type: 'A', content: address(i) };
    const all: (() => Promise<Reply>)[] = [
      () => api('POST', records, record, undefined, headers),
      () =>
        api('POST', `${records}:batch`, { atomic: false, changes: [{ action: 'create', record }] }, undefined, headers),
      () =>
        api('PUT', `${at}/zonefile`, `n${i} A ${address(i)}\n`, undefined, { ...headers, 'content-type': 'text/dns' }),
    ];
    return (all[i % all.length] as () => Promise<Reply>)();
  });
  const { 412: refused, ...made } = counts;
  expect([refused, Object.values(made)]).toEqual([WRITERS - 1, [1]]);
});

test('one of many settings of a zone with the same tag is made', async () => {
  const patch = (api: typeof request, i: number, headers: object) =>
    api('PATCH', at, i % 2 === 0 ? { defaultTtl: 100 + i } : { comment: `of ${i}` }, undefined, { ...headers });
  expect(await race(at, patch)).toEqual({ 200: 1, ...ONE_WINS });
});

/** How a writer changes the record: by itself, in a batch, or the whole zone by a zone file. */
type Way = 'single' | 'batch' | 'file';
interface Step {
  way: Way;
  /** The time between reading and writing, in ms. */
  waitMs: number;
}

const step = fc.record({ way: fc.constantFrom<Way>('single', 'batch', 'file'), waitMs: fc.nat(8) });
const writer = fc.array(step, { minLength: 1, maxLength: 5 });

test('two writers that read, wait and write with If-Match lose no update', { timeout: 240_000 }, async () => {
  let runs = 0;
  const property = fc.asyncProperty(writer, writer, async (one, two) => {
    runs += 1;
    const own = await service.zone(`run${runs}.example`);
    await service.record(own, 'list', 'TXT', '"begin"');
    await Promise.all([one, two].map((steps, at) => append(own.id, steps, at)));
    const { body } = await request('GET', `/zones/${own.id}/records`);
    const [{ content }] = body.records as [{ content: string }];
    const written = content.slice(1, -1).split(' ');
    const wanted = ['begin', ...one.map((_, i) => `0-${i}`), ...two.map((_, i) => `1-${i}`)];
    expect([...written].sort()).toEqual(wanted.sort());
  });
  await fc.assert(property, { numRuns: 12 });
});

/** Appends a word to the record in each step, and reads again as long as another client was faster. */
async function append(zoneId: string, steps: readonly Step[], who: number): Promise<void> {
  const api = apis[who] as typeof request;
  for (const [i, { way, waitMs }] of steps.entries()) {
    for (;;) {
      const reply = await appendOnce(api, zoneId, way, waitMs, `${who}-${i}`);
      if (reply.status < 300) break;
      expect([412, 404], reply.text).toContain(reply.status);
    }
  }
}

async function appendOnce(api: typeof request, zoneId: string, way: Way, waitMs: number, word: string): Promise<Reply> {
  const base = `/zones/${zoneId}`;
  const list = await api('GET', `${base}/records?etags=true`);
  const [stored] = list.body.records as [{ id: string; content: string; etag: string }];
  const content = `${stored.content.slice(0, -1)} ${word}"`;
  const record = { name: 'list', type: 'TXT', content };
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  if (way === 'file') {
    const headers = { 'content-type': 'text/dns', 'if-match': tagOf(list) };
    return api('PUT', `${base}/zonefile`, `list TXT ${content}\n`, undefined, headers);
  }
  if (way === 'batch') {
    const changes = [{ action: 'update', id: stored.id, record, ifMatch: stored.etag }];
    return api('POST', `${base}/records:batch`, { changes });
  }
  return api('PUT', `${base}/records/${stored.id}`, record, undefined, { 'if-match': stored.etag });
}
