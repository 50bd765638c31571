// POST /zones/{id}/changes:undo: the records that some changes wrote become as they were before, all or nothing.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone } from '../../../support/service/undo.ts';

const service = await startTestService({ nameserver: false });
const { request } = service;
const A = (content: string, more: object = {}) => ({ name: 'www', type: 'A', content, ...more });

test('a deleted record comes back with its id, TTL and comment, and the history says what was undone', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1', { ttl: 60, comment: 'the front door' });
  await zone.add('www', 'A', '192.0.2.2');
  const before = await zone.records();
  await zone.drop(id);
  const [deleted] = await zone.ids();
  const preview = await zone.undone({ changes: [deleted], dryRun: true });
  expect(preview).toMatchObject({
    dryRun: true,
    serial: await zone.serial(),
    total: { differences: 1, conflicts: 0 },
    differences: [{ name: 'www', type: 'A', before: [{ content: '192.0.2.2', ttl: 3600 }] }],
    conflicts: [],
  });
  expect(preview.differences[0]?.after).toContainEqual({ content: '192.0.2.1', ttl: 60, comment: 'the front door' });
  expect(await zone.records()).not.toEqual(before);
  const answer = await zone.undone({ changes: [deleted] });
  expect(answer).toEqual({ ...preview, dryRun: false, serial: await zone.serial() });
  expect(await zone.records()).toEqual(before);
  const [change] = await zone.changes();
  expect(change).toMatchObject({ action: 'record.create', undoes: [deleted], after: { id }, serial: answer.serial });
});

test('an undo is undone like any other change', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.put(id, A('192.0.2.9', { ttl: 300 }));
  const after = await zone.records();
  const [update] = await zone.ids();
  await zone.undone({ changes: [update] });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
  const [undo] = await zone.ids();
  await zone.undone({ changes: [undo] });
  expect(await zone.records()).toEqual(after);
  // The undo and its undo cancel each other out, so the changes before them can still be undone.
  const [, , , created] = await zone.ids();
  await zone.undone({ changes: [update, created] });
  expect(await zone.records()).toEqual([]);
});

test('all changes of a request are undone together, with one serial', async () => {
  const zone = await undoZone(service);
  const kept = await zone.add('kept', 'TXT', '"here"');
  const gone = await zone.add('gone', 'MX', 'mail.example.net.', { priority: 5 });
  const before = await zone.records();
  const changes = [
    { action: 'delete', id: gone },
    { action: 'update', id: kept, record: { name: 'kept', type: 'TXT', content: '"there"' } },
    ...['a', 'b', 'c'].map((name) => ({ action: 'create', record: { name, type: 'AAAA', content: '2001:db8::1' } })),
  ];
  const headers = { 'x-request-id': 'release-7' };
  await request('POST', `${zone.path}/records:batch`, { changes }, service.admin.text, headers);
  await zone.add('later', 'A', '192.0.2.77');
  const { total, serial } = await zone.undone({ requestId: 'release-7' });
  expect(total).toEqual({ differences: 5, conflicts: 0, owned: 0 });
  expect(await zone.records()).toEqual([...before, 'later A 3600 192.0.2.77'].sort());
  const undone = (await zone.changes()).slice(0, 5);
  expect(undone.map((change) => change.serial)).toEqual(Array(5).fill(serial));
});

test('all changes of a key since a time are undone, and those of others stay', async () => {
  const zone = await undoZone(service);
  const key = await service.key();
  const add = (name: string) =>
    request('POST', `${zone.path}/records`, { name, type: 'A', content: '192.0.2.1' }, key.text);
  await add('before');
  const [first] = await zone.changes();
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(String(first?.at)) + 5);
  const since = new Date().toISOString();
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(since) + 5);
  await add('one');
  await zone.add('other', 'A', '192.0.2.2');
  await add('two');
  await zone.undone({ keyId: key.id, since });
  expect(await zone.records()).toEqual(['before A 3600 192.0.2.1', 'other A 3600 192.0.2.2']);
});

test('a later change of the same records prevents an undo, and nothing is written', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.put(id, A('192.0.2.2'));
  await zone.put(id, A('192.0.2.3'));
  await zone.add('alone', 'A', '192.0.2.4');
  const [alone, last, middle] = await zone.ids();
  const before = [await zone.records(), await zone.serial()];
  const preview = await zone.undone({ changes: [middle, alone], dryRun: true });
  expect(preview.total).toEqual({ differences: 1, conflicts: 1, owned: 0 });
  expect(preview.conflicts).toMatchObject([{ change: last, name: 'www', type: 'A' }]);
  expect(preview.conflicts[0]?.message).toContain(`the later change ${last}`);
  const refused = await zone.undo({ changes: [middle, alone] });
  expect(refusal(refused)).toBe('409 conflict');
  expect(refused.body.message).toContain(`the later change ${last}`);
  expect([await zone.records(), await zone.serial()]).toEqual(before);
  await zone.undone({ changes: [middle, last] });
  expect(await zone.records()).toEqual(['alone A 3600 192.0.2.4', 'www A 3600 192.0.2.1']);
});

test('another value at the same name and type, added later, prevents an undo', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.drop(id);
  await zone.add('www', 'A', '192.0.2.2');
  const [added, deleted] = await zone.ids();
  const { conflicts } = await zone.undone({ changes: [deleted], dryRun: true });
  expect(conflicts).toMatchObject([{ change: added, name: 'www', type: 'A' }]);
});

test('a rule about records prevents an undo: the name has been taken by a CNAME', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.drop(id);
  await zone.add('www', 'CNAME', 'elsewhere.example.');
  const [, deleted] = await zone.ids();
  const { conflicts } = await zone.undone({ changes: [deleted], dryRun: true });
  expect(conflicts).toMatchObject([{ change: deleted, name: 'www', type: 'A' }]);
  expect(conflicts[0]?.message).toContain('CNAME');
  const refused = await zone.undo({ changes: [deleted] });
  expect([refusal(refused), refused.body.message]).toEqual(['409 conflict', expect.stringContaining('CNAME')]);
  expect(await zone.records()).toEqual(['www CNAME 3600 elsewhere.example']);
});

test('records of an owner are not changed: the conflict says what to change in Kubernetes', async () => {
  const zone = await undoZone(service);
  await zone.own('k8s:prod/shop/web', 'www', ['192.0.2.1']);
  await zone.own('k8s:prod/shop/web', 'www', ['192.0.2.2']);
  const [update, create] = await zone.ids();
  const changed = await zone.undone({ changes: [update], dryRun: true });
  expect(changed.conflicts[0]?.message).toBe(
    'the DNSRecord shop/web in the cluster prod owns these records. Set its values in Kubernetes to 192.0.2.1.',
  );
  const made = await zone.undone({ changes: [update, create], dryRun: true });
  expect(made.conflicts[0]?.message).toBe(
    'the DNSRecord shop/web in the cluster prod owns these records. Delete the DNSRecord shop/web in the cluster prod.',
  );
  await zone.own('k8s:prod/shop/web', 'www', []);
  const [released] = await zone.ids();
  const { conflicts } = await zone.undone({ changes: [released], dryRun: true });
  expect(conflicts[0]?.message).toBe(
    'the DNSRecord shop/web in the cluster prod changed these records. Apply it again in Kubernetes with 192.0.2.2.',
  );
  expect(refusal(await zone.undo({ changes: [released] }))).toBe('409 conflict');
  expect(await zone.records()).toEqual([]);
});

test('a comment comes back without a new serial', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1', { comment: 'old' });
  await zone.put(id, A('192.0.2.1', { comment: 'new' }));
  const serial = await zone.serial();
  const [change] = await zone.ids();
  await zone.undone({ changes: [change] });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1 (old)']);
  expect(await zone.serial()).toBe(serial);
});

test('a TTL that was the default of the zone follows the default that it has now', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  const own = await zone.add('www', 'AAAA', '2001:db8::1', { ttl: 7200 });
  await zone.drop(id);
  await zone.drop(own);
  const [second, first] = await zone.ids();
  await request('PATCH', zone.path, { defaultTtl: 300 });
  await zone.undone({ changes: [first, second] });
  expect(await zone.records()).toEqual(['www A 300 192.0.2.1', 'www AAAA 7200 2001:db8::1']);
});

test('a key undoes only what it may write, and only in zones that it sees', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.drop(id);
  const text = await zone.add('_acme-challenge', 'TXT', '"token"');
  await zone.drop(text);
  const [challenge, , www] = await zone.ids();
  const restricted = await service.key({ onlyTypes: ['TXT'], onlyNames: ['_acme-challenge'] });
  for (const dryRun of [true, false]) {
    expect(refusal(await zone.undo({ changes: [www, challenge], dryRun }, restricted))).toBe('403 forbidden');
    const reader = await service.key({ records: 'read' });
    expect(refusal(await zone.undo({ changes: [www], dryRun }, reader))).toBe('403 forbidden');
    const foreign = await service.key({ team: 'second' });
    expect(refusal(await zone.undo({ changes: [www], dryRun }, foreign))).toBe('404 no_zone');
  }
  // A conflict says who wrote the records, so the right comes first.
  const later = await zone.add('www', 'A', '192.0.2.2');
  expect(refusal(await zone.undo({ changes: [www], dryRun: true }, restricted))).toBe('403 forbidden');
  await zone.drop(later);
  expect((await zone.undo({ changes: [challenge] }, restricted)).status).toBe(200);
  expect(await zone.records()).toEqual(['_acme-challenge TXT 3600 "token"']);
});

test('a change of another zone is not found', async () => {
  const [zone, other] = [await undoZone(service), await undoZone(service)];
  await other.add('www', 'A', '192.0.2.1');
  const [change] = await other.ids();
  expect(refusal(await zone.undo({ changes: [change] }))).toBe('404 not_found');
  expect(refusal(await zone.undo({ requestId: 'unknown' }))).toBe('404 not_found');
  // A request or a key that changed records of the other zone only.
  const [{ requestId, keyId, at } = {}] = await other.changes();
  expect(refusal(await zone.undo({ requestId }))).toBe('404 not_found');
  expect(refusal(await zone.undo({ keyId, since: at }))).toBe('404 not_found');
  expect(await other.records()).toHaveLength(1);
});

test('changes of the zone itself are not undone', async () => {
  const zone = await undoZone(service);
  await request('POST', `${zone.path}/park`);
  const [park] = await zone.ids();
  const refused = await zone.undo({ changes: [park] });
  expect([refusal(refused), refused.body.message]).toEqual(['400 bad_request', expect.stringContaining('zone.park')]);
});

test.each<object>([
  {},
  { changes: [] },
  { changes: ['x'] },
  { changes: [1.5] },
  { changes: [1], requestId: 'x' },
  { keyId: 'abc' },
  { since: '2026-11-21T10:31:00Z' },
  { keyId: 'abc', since: 'yesterday' },
  { requestId: 'a b' },
  { changes: [1], dryRun: 'yes' },
  { changes: [1], more: true },
])('an undo refuses the body %j', async (body) => {
  const zone = await undoZone(service);
  expect(refusal(await zone.undo(body))).toBe('400 bad_request');
});

test('an id that is missing among others prevents the undo of all, and is named', async () => {
  const zone = await undoZone(service);
  await zone.add('www', 'A', '192.0.2.1');
  const [created = 0] = await zone.ids();
  const refused = await zone.undo({ changes: [created, created + 1_000_000] });
  expect([refusal(refused), refused.body.message]).toEqual([
    '404 not_found',
    expect.stringContaining(`no change ${created + 1_000_000}.`),
  ]);
  expect(await zone.records()).toHaveLength(1);
});

test('a change of a deleted zone is not undone in a new zone of the same name', async () => {
  const first = await undoZone(service, 'anew.example');
  await first.add('www', 'A', '192.0.2.1');
  const [created] = await first.ids();
  await request('DELETE', first.path);
  const second = await undoZone(service, 'anew.example');
  await second.add('www', 'A', '192.0.2.2');
  expect(refusal(await second.undo({ changes: [created] }))).toBe('404 not_found');
  expect(await second.records()).toEqual(['www A 3600 192.0.2.2']);
});

test('a request with 1,000 changes is undone, and more changes of a key are refused', async () => {
  const zone = await undoZone(service);
  const create = (name: string) => ({ action: 'create', record: { name, type: 'A', content: '192.0.2.1' } });
  const changes = Array.from({ length: 1_000 }, (_, at) => create(`h${at}`));
  await request('POST', `${zone.path}/records:batch`, { changes, atomic: true });
  const [{ requestId, keyId, at } = {}] = await zone.changes();
  const preview = await zone.undone({ requestId, dryRun: true });
  expect(preview.total).toEqual({ differences: 1_000, conflicts: 0, owned: 0 });
  await zone.add('more', 'A', '192.0.2.1');
  const refused = await zone.undo({ keyId, since: at });
  expect([refusal(refused), refused.body.message]).toEqual([
    '400 bad_request',
    expect.stringContaining('At most 1000 changes are undone at once'),
  ]);
  expect(await zone.records()).toHaveLength(1_001);
});

test('an undo refuses more than 1,000 changes', async () => {
  const zone = await undoZone(service);
  expect(refusal(await zone.undo({ changes: Array(1_001).fill(1) }))).toBe('400 bad_request');
});

test('a repeated request with an Idempotency-Key has the first answer and changes nothing', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.drop(id);
  const [deleted] = await zone.ids();
  const headers = { 'idempotency-key': 'undo-1' };
  const first = await zone.undo({ changes: [deleted] }, undefined, headers);
  const again = await zone.undo({ changes: [deleted] }, undefined, headers);
  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  expect(await zone.ids()).toHaveLength(4);
  expect(refusal(await zone.undo({ requestId: 'other' }, undefined, headers))).toBe('409 conflict');
});

test('each name and type that changes counts as a record write, up to half of the limit', async () => {
  const zone = await undoZone(service);
  for (const name of ['a', 'b', 'c']) await zone.drop(await zone.add(name, 'A', '192.0.2.1'));
  const ids = (await zone.changes()).flatMap(({ action, id }) => (action === 'record.delete' ? [id] : []));
  const enough = await service.key({ recordWrites: 7 });
  const generous = await service.key({ recordWrites: 60 });
  expect((await zone.undo({ changes: ids, dryRun: true }, generous)).body.cost).toEqual({ writes: 3, limit: 60 });
  const undone = await zone.undo({ changes: ids }, enough);
  expect([undone.status, undone.headers.ratelimit]).toEqual([200, expect.stringContaining('r=4;')]);
  expect(await zone.records()).toHaveLength(3);
  // Half of the limit at most, because an undo cannot be split.
  const poor = await service.key({ recordWrites: 3 });
  const [again] = (await zone.changes()).map(({ requestId }) => requestId);
  expect((await zone.undo({ requestId: again }, poor)).headers.ratelimit).toContain('r=1;');
  expect(await zone.records()).toEqual([]);
  expect((await zone.undo({ changes: [(await zone.ids())[0]] }, poor)).status).toBe(200);
  expect(refusal(await zone.undo({ changes: [(await zone.ids())[0]] }, poor))).toBe('429 rate_limited');
});

test('ten requests undo the same change at once: one does it, and the zone is as it was', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  const before = await zone.records();
  await zone.drop(id);
  const [deleted] = await zone.ids();
  const replies = await Promise.all(Array.from({ length: 10 }, () => zone.undo({ changes: [deleted] })));
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  for (const reply of replies) if (reply.status !== 200) expect(['409 conflict', '503 busy']).toContain(refusal(reply));
  expect(await zone.records()).toEqual(before);
});
