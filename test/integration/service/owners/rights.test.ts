// Rights, limits and repeated requests of records:apply: those of record writes.
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ limits: true, nameserver: false });
const { request } = service;
const wide = await service.key({ recordWrites: 5_000, zoneWrites: 500 });
const stranger = await service.key({ team: 'second', recordWrites: 5_000, zoneWrites: 500 });
const X = 'k8s:one/default/x';

const set = (owner: string, name: string, value = '192.0.2.1', more: object = {}) => ({
  owner,
  name,
  type: 'A',
  values: [{ content: value }],
  ...more,
});
const apply = async (zone: { id: string }, sets: object[], key = wide.text, headers: Record<string, string> = {}) =>
  request('POST', `/zones/${zone.id}/records:apply`, { sets }, key, headers);
const fieldsOf = (reply: { body: Record<string, unknown> }) =>
  (reply.body.results as { status: number; field?: string; error?: string }[]).map(
    ({ status, error }) => error ?? status,
  );
const ownersOf = async (zone: { id: string }, key = wide.text) => {
  const { body } = await request('GET', `/zones/${zone.id}/owners`, undefined, key);
  return (body.owners as { owner: string; name: string }[]).map(({ owner, name }) => `${owner} ${name}`);
};

test("another team neither sees nor changes a zone's owners, and the same text is another owner there", async () => {
  const [mine, theirs] = [await service.zone('mine.example', wide), await service.zone('theirs.example', stranger)];
  await apply(mine, [set(X, 'www')]);
  expect(await apply(mine, [{ owner: X, release: true }], stranger.text)).toMatchObject({
    status: 404,
    body: { error: 'no_zone' },
  });
  expect(await request('GET', `/zones/${mine.id}/owners`, undefined, stranger.text)).toMatchObject({ status: 404 });
  expect(fieldsOf(await apply(theirs, [set(X, 'www')], stranger.text))).toEqual([200]);
  expect(fieldsOf(await apply(theirs, [{ owner: X, release: true }], stranger.text))).toEqual([200]);
  expect(await ownersOf(mine)).toEqual([`${X} www`]);
  expect(await ownersOf(theirs, stranger.text)).toEqual([]);
});

test('a key that may only read, or only some names and types, applies and releases nothing else', async () => {
  const zone = await service.zone('rights.example', wide);
  await apply(zone, [set(X, 'www'), set(X, 'acme')]);
  const reader = await service.key({ records: 'read' });
  const some = await service.key({ onlyNames: ['acme*'], onlyTypes: ['A'], recordWrites: 500 });
  const none = await service.key({ records: 'none' });
  expect(fieldsOf(await apply(zone, [set(X, 'www')], reader.text))).toEqual(['forbidden']);
  const sets = [set('k8s:y', 'acme-1'), set('k8s:y', 'www', '192.0.2.2'), { ...set(X, 'www'), values: [] }];
  expect(fieldsOf(await apply(zone, sets, some.text))).toEqual([200, 'forbidden', 'forbidden']);
  // Releasing everything, and exact sets, reach names that the key may not write.
  expect(fieldsOf(await apply(zone, [{ owner: X, release: true }], some.text))).toEqual(['forbidden']);
  expect(fieldsOf(await apply(zone, [set(X, 'acme-2', '192.0.2.3', { exact: true })], some.text))).toEqual([
    'forbidden',
  ]);
  // Neither changes a record, only its owner.
  await service.record(zone, 'api', 'A', '192.0.2.1');
  const adopting = set('k8s:y', 'api', '192.0.2.1', { adopt: 'IfIdentical' });
  expect(fieldsOf(await apply(zone, [adopting], some.text))).toEqual(['forbidden']);
  await apply(zone, [set('k8s:kept', 'kept', '192.0.2.1', { retain: true })]);
  expect(fieldsOf(await apply(zone, [{ owner: 'k8s:kept', release: true }], some.text))).toEqual(['forbidden']);
  expect(await ownersOf(zone)).toContain('k8s:kept kept');
  await apply(zone, [{ owner: 'k8s:kept', release: true }]);
  expect(await ownersOf(zone)).toEqual([`${X} acme`, `${X} www`, 'k8s:y acme-1']);
  expect(await ownersOf(zone, some.text)).toEqual([`${X} acme`, 'k8s:y acme-1']);
  expect(await request('GET', `/zones/${zone.id}/owners`, undefined, none.text)).toMatchObject({ status: 403 });
});

test('sets that write or are refused count in the write window, and unchanged ones do not', async () => {
  const zone = await service.zone('window.example', wide);
  const key = await service.key({ recordWrites: 5 });
  const four = ['a', 'b', 'c', 'd'].map((name) => set(X, name));
  for (const set of four) expect(fieldsOf(await apply(zone, [set], key.text))).toEqual([200]);
  for (let time = 0; time < 3; time += 1)
    expect(fieldsOf(await apply(zone, four, key.text))).toEqual([200, 200, 200, 200]);
  const refused = await apply(zone, [...four, set('k8s:y', 'a')], key.text);
  expect(fieldsOf(refused)).toEqual([200, 200, 200, 200, 'conflict']);
  const over = await apply(zone, [...four, set(X, 'e')], key.text);
  expect(over).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
  expect(await ownersOf(zone)).toEqual(['a', 'b', 'c', 'd'].map((name) => `${X} ${name}`));
  expect(fieldsOf(await apply(zone, four, key.text))).toEqual([200, 200, 200, 200]);
  // Half of the limit is the most that a request counts.
  const [other, six] = [await service.key({ recordWrites: 5 }), ['f', 'g', 'h', 'i', 'j', 'k']];
  const many = await apply(
    zone,
    six.map((name) => set(X, name)),
    other.text,
  );
  expect([fieldsOf(many), many.headers.ratelimit]).toEqual([six.map(() => 200), expect.stringContaining('r=2;')]);
});

test('a repeated Idempotency-Key gets the first answer, and another request with it is refused', async () => {
  const zone = await service.zone('again.example', wide);
  const headers = { 'idempotency-key': 'apply-1' };
  const first = await apply(zone, [set(X, 'www')], wide.text, headers);
  await apply(zone, [{ owner: X, release: true }]);
  expect((await apply(zone, [set(X, 'www')], wide.text, headers)).text).toBe(first.text);
  expect(await ownersOf(zone)).toEqual([]);
  expect(await apply(zone, [set(X, 'api')], wide.text, headers)).toMatchObject({ status: 409 });
});

test('the quota of the team refuses sets one by one', async () => {
  const zone = await service.zone('quota.example', wide);
  await service.sql`update teams set quota_records = (select sum(record_count) + 2 from zones where team_id = ${wide.team}) where id = ${wide.team}`;
  await service.sql`update zones set record_room = record_count where team_id = ${wide.team}`;
  const answer = await apply(
    zone,
    ['a', 'b', 'c'].map((name) => set(X, name)),
  );
  await service.sql`update teams set quota_records = null where id = ${wide.team}`;
  expect(fieldsOf(answer)).toEqual([200, 200, 'forbidden']);
  expect(await ownersOf(zone)).toEqual([`${X} a`, `${X} b`]);
});
