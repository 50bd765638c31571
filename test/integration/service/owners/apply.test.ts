// Applying the sets of owners: the changes that each makes, and the refusals.
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, sql } = service;
let count = 0;
const X = 'k8s:one/default/x';
const Y = 'k8s:two/default/y';

interface Result {
  status: number;
  records: { id: string; content: string; ttl: number }[];
  changed: boolean;
  drift: { kind: string; id?: string; content: string; ttl?: number }[];
  error: string;
  field: string;
  message: string;
}

async function newZone() {
  count += 1;
  const { id } = await service.zone(`apply-${count}.example`);
  const path = `/zones/${id}`;
  const send = async (sets: object[], more: object = {}) => request('POST', `${path}/records:apply`, { sets, ...more });
  const apply = async (...sets: object[]) => {
    const { status, body } = await send(sets);
    expect(status).toBe(200);
    return body.results as Result[];
  };
  const one = async (set: object) => (await apply(set))[0] as Result;
  const records = async () => {
    const { body } = await request('GET', `${path}/records`);
    return body.records as { id: string; name: string; type: string; content: string; ttl: number }[];
  };
  const contents = async () => (await records()).map(({ name, type, content }) => `${name} ${type} ${content}`).sort();
  const owners = async (query = '') => {
    const { body } = await request('GET', `${path}/owners${query}`);
    return body as {
      owners: { owner: string; name: string; records: { content: string }[]; drifted: boolean }[];
      next?: string;
    };
  };
  const serial = async () => (await request('GET', path)).body.serial as number;
  return { id, path, send, apply, one, records, contents, owners, serial };
}

const a = (owner: string, values: string[], more: object = {}) => ({
  owner,
  name: 'www',
  type: 'A',
  values: values.map((content) => ({ content })),
  ...more,
});

test('an owner says which records are its own, and the same again writes nothing', async () => {
  const zone = await newZone();
  const first = await zone.one(a(X, ['192.0.2.1', '192.0.2.2'], { ttl: 60, generation: 1 }));
  expect(first).toMatchObject({ status: 200, changed: true, drift: [] });
  expect(first.records.map(({ content, ttl }) => [content, ttl])).toEqual([
    ['192.0.2.1', 60],
    ['192.0.2.2', 60],
  ]);
  const before = await sql`select xmin::text, serial, owners_version from zones where id = ${zone.id}`;
  const [history] = await sql`select count(*)::int as n from changes`;
  const again = await zone.one(a(X, ['192.0.2.2', '192.0.2.1'], { ttl: 60, generation: 1 }));
  expect(again).toMatchObject({ status: 200, changed: false, drift: [] });
  expect(await sql`select xmin::text, serial, owners_version from zones where id = ${zone.id}`).toEqual(before);
  expect((await sql`select count(*)::int as n from changes`)[0]).toEqual(history);
  const next = await zone.one(a(X, ['192.0.2.2', '192.0.2.3'], { ttl: 60, generation: 2 }));
  expect(next.changed).toBe(true);
  expect(await zone.contents()).toEqual(['www A 192.0.2.2', 'www A 192.0.2.3']);
  // The record of the value that went got the new value.
  expect(next.records.map(({ id }) => id).sort()).toEqual(first.records.map(({ id }) => id).sort());
  expect(await zone.one(a(X, []))).toMatchObject({ changed: true, records: [] });
  expect(await zone.contents()).toEqual([]);
  expect((await zone.owners()).owners).toEqual([]);
});

test('values of other owners stay, and the same value belongs to one owner', async () => {
  const zone = await newZone();
  await zone.one(a(X, ['192.0.2.1']));
  await zone.one(a(Y, ['192.0.2.2']));
  expect(await zone.contents()).toEqual(['www A 192.0.2.1', 'www A 192.0.2.2']);
  const refused = await zone.one(a(Y, ['192.0.2.2', '192.0.2.1']));
  expect(refused).toMatchObject({ status: 409, error: 'conflict', field: 'values.1.content' });
  expect(refused).toMatchObject({ owner: X, value: '192.0.2.1', shared: false });
  expect(refused.message).toContain(`belongs to ${X}`);
  // Nothing of the refused set was written.
  expect(await zone.contents()).toEqual(['www A 192.0.2.1', 'www A 192.0.2.2']);
  expect((await zone.owners()).owners.map(({ owner }) => owner)).toEqual([X, Y]);
});

test('a shared value needs two that share, has the lower TTL, and stays until the last owner releases it', async () => {
  const zone = await newZone();
  const [value] = ['192.0.2.1'];
  await zone.one(a(X, [value]));
  expect((await zone.one(a(Y, [value], { share: true }))).message).toContain(`belongs to ${X}, which does not share`);
  await zone.one(a(X, [value], { share: true, ttl: 600 }));
  expect(await zone.one(a(Y, [value]))).toMatchObject({ status: 409, owner: X, value, shared: true });
  const joined = await zone.one(a(Y, [value], { share: true, ttl: 60 }));
  expect(joined).toMatchObject({ status: 200, changed: true, records: [{ ttl: 60 }] });
  expect(await zone.one(a(X, [value], { share: true, ttl: 600 }))).toMatchObject({ changed: false, drift: [] });
  // An owner cannot stop sharing while others own the value.
  expect((await zone.one(a(X, [value], { ttl: 600 }))).status).toBe(409);
  await zone.one(a(Y, []));
  expect((await zone.records()).map(({ content, ttl }) => [content, ttl])).toEqual([[value, 600]]);
  await zone.one({ owner: X, release: true });
  expect(await zone.records()).toEqual([]);
});

test('a value has at most 100 owners, which keep it', async () => {
  const { apply, one, contents } = await newZone();
  const shared = (n: number) => a(`k8s:one/default/${n}`, ['192.0.2.1'], { share: true });
  const first = await apply(...Array.from({ length: 100 }, (_, n) => shared(n)));
  expect(first.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await one(shared(100))).toMatchObject({
    status: 409,
    field: 'values.0.content',
    message: expect.stringContaining('100'),
  });
  expect(await one(shared(7))).toMatchObject({ status: 200, changed: false });
  expect(await contents()).toEqual(['www A 192.0.2.1']);
});

test('a record without an owner is adopted only if value and effective TTL are identical', async () => {
  const zone = await newZone();
  const stored = await service.record(zone, 'www', 'A', '192.0.2.1');
  expect(await zone.one(a(X, ['192.0.2.1']))).toMatchObject({
    status: 409,
    field: 'values.0.content',
    records: [stored.id],
    value: '192.0.2.1',
  });
  expect(await zone.one(a(X, ['192.0.2.1']))).not.toHaveProperty('owner');
  const other = await zone.one(a(X, ['192.0.2.1'], { adopt: 'IfIdentical', ttl: 60 }));
  expect(other).toMatchObject({ status: 409, field: 'ttl' });
  const serial = await zone.serial();
  const adopted = await zone.one(a(X, ['192.0.2.1'], { adopt: 'IfIdentical', ttl: 3600 }));
  expect(adopted).toMatchObject({ status: 200, changed: false, records: [{ id: stored.id }] });
  expect(await zone.serial()).toBe(serial);
  expect((await zone.owners()).owners).toMatchObject([{ owner: X, drifted: false, records: [{ id: stored.id }] }]);
  await zone.one(a(X, []));
  expect(await zone.records()).toEqual([]);
});

test('a release leaves retained records without an owner', async () => {
  const zone = await newZone();
  await zone.one(a(X, ['192.0.2.1'], { retain: true }));
  await zone.one({ owner: X, release: true });
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
  expect((await zone.owners()).owners).toEqual([]);
  await zone.one(a(Y, ['192.0.2.1'], { adopt: 'IfIdentical' }));
  await zone.one(a(Y, [], { retain: true }));
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
});

test.for(['Enforce', 'Report', 'Ignore'])('changes by others are drift, policy %s', async (drift) => {
  const zone = await newZone();
  const set = a(X, ['192.0.2.1', '192.0.2.2', '192.0.2.3'], { drift, ttl: 60 });
  const { records } = await zone.one(set);
  const [first, second, third] = records as [
    Result['records'][number],
    Result['records'][number],
    Result['records'][number],
  ];
  const path = `${zone.path}/records`;
  await request('PUT', `${path}/${first.id}`, { name: 'www', type: 'A', content: '192.0.2.9', ttl: 60 });
  await request('DELETE', `${path}/${second.id}`);
  await request('PUT', `${path}/${third.id}`, { name: 'www', type: 'A', content: '192.0.2.3', ttl: 90 });
  expect((await zone.owners()).owners).toMatchObject([{ owner: X, drifted: true }]);
  const told = await zone.one(set);
  const items = [
    { kind: 'changed', id: first.id, content: '192.0.2.9' },
    { kind: 'deleted', content: '192.0.2.2' },
    { kind: 'ttl', id: third.id, content: '192.0.2.3', ttl: 90 },
  ];
  expect(told).toMatchObject({ status: 200, changed: drift === 'Enforce', drift: drift === 'Ignore' ? [] : items });
  const enforced = ['www A 192.0.2.1', 'www A 192.0.2.2', 'www A 192.0.2.3'];
  expect(await zone.contents()).toEqual(drift === 'Enforce' ? enforced : ['www A 192.0.2.3', 'www A 192.0.2.9']);
  expect((await zone.owners()).owners).toMatchObject([{ drifted: drift !== 'Enforce' }]);
  // Other contents are a new version, and replace everything of the old one.
  await zone.one(a(X, ['192.0.2.4'], { drift, ttl: 60 }));
  expect(await zone.contents()).toEqual(['www A 192.0.2.4']);
});

test('a value that others deleted and made again is taken back', async () => {
  const zone = await newZone();
  const { records } = await zone.one(a(X, ['192.0.2.1']));
  await request('DELETE', `${zone.path}/records/${records[0]?.id}`);
  const stored = await service.record(zone, 'www', 'A', '192.0.2.1');
  const told = await zone.one(a(X, ['192.0.2.1']));
  expect(told).toMatchObject({ status: 200, changed: false, drift: [{ kind: 'replaced', id: stored.id }] });
  expect(await zone.one(a(X, ['192.0.2.1']))).toMatchObject({ changed: false, drift: [] });
});

test('the history shows the request id of each set, and that of the request for a set without one', async () => {
  const zone = await newZone();
  const id = (requestId: string) => ({ requestId });
  const answer = await zone.send([
    a(X, ['192.0.2.1'], id('run-1')),
    a(Y, ['192.0.2.2', '192.0.2.3'], id('run-2')),
    a(Y, ['192.0.2.4'], { name: 'plain' }),
  ]);
  const { body } = await request('GET', `${zone.path}/changes`);
  const made = (body.changes as { action: string; owner: string; requestId: string }[])
    .filter(({ action }) => action === 'record.create')
    .map(({ owner, requestId }) => `${owner} ${requestId}`);
  const own = answer.headers['x-request-id'];
  expect(made.sort()).toEqual([`${X} run-1`, `${Y} ${own}`, `${Y} run-2`, `${Y} run-2`].sort());
  expect(await zone.one(a(X, ['192.0.2.1'], id('not an id')))).toMatchObject({ status: 400, field: 'requestId' });
});

test('exact sets are all that the owner has, and move with it in one transaction', async () => {
  const zone = await newZone();
  await zone.apply(
    { owner: X, name: 'old', type: 'CNAME', values: [{ content: 'target.example' }], exact: true, generation: 1 },
    { owner: X, name: 'www', type: 'CNAME', values: [{ content: 'target.example' }], exact: true, generation: 1 },
  );
  const serial = await zone.serial();
  const moved = await zone.one(a(X, ['192.0.2.1'], { name: 'www', exact: true, generation: 2 }));
  expect(moved).toMatchObject({ status: 200, changed: true });
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
  const { body } = await request('GET', `${zone.path}/changes`);
  const last = (body.changes as { serial: number; owner: string; action: string }[]).filter(
    (each) => each.serial > serial,
  );
  expect(last.map(({ action, owner, serial: at }) => [action, owner, at === last[0]?.serial]).sort()).toEqual([
    ['record.create', X, true],
    ['record.delete', X, true],
    ['record.delete', X, true],
  ]);
});

test('if one exact set is refused, nothing of the owner changes', async () => {
  const zone = await newZone();
  await zone.one(a(Y, ['192.0.2.1']));
  await zone.one(a(X, ['192.0.2.2'], { name: 'old', exact: true }));
  const results = await zone.apply(
    a(X, ['192.0.2.3'], { name: 'new', exact: true }),
    a(X, ['192.0.2.1'], { exact: true }),
    a(Y, ['192.0.2.1', '192.0.2.5']),
  );
  expect(results.map(({ status, field }) => [status, field])).toEqual([
    [409, 'exact'],
    [409, 'values.0.content'],
    [200, undefined],
  ]);
  expect(await zone.contents()).toEqual(['old A 192.0.2.2', 'www A 192.0.2.1', 'www A 192.0.2.5']);
});

test('an atomic request applies all sets or none', async () => {
  const zone = await newZone();
  await zone.one(a(Y, ['192.0.2.1']));
  const sets = [
    a(X, ['192.0.2.2']),
    a(X, ['192.0.2.1'], { name: 'api' }),
    a(X, ['192.0.2.1'], { name: 'www', owner: 'k8s:z/z/z' }),
  ];
  const { status, body } = await zone.send(sets, { atomic: true });
  expect([status, body.field]).toEqual([409, 'sets.2.values.0.content']);
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
  expect((await zone.owners()).owners.map(({ owner }) => owner)).toEqual([Y]);
});

test('a generation that goes back, or comes with other contents, is refused; another instance has generations of its own', async () => {
  const zone = await newZone();
  const set = (generation: number, value: string, more: object = {}) =>
    a(X, [value], { generation, instance: 'u1', ...more });
  await zone.one(set(5, '192.0.2.5'));
  expect(await zone.one(set(4, '192.0.2.4'))).toMatchObject({ status: 409, field: 'generation' });
  expect(await zone.one(set(5, '192.0.2.4'))).toMatchObject({ status: 409, field: 'generation' });
  expect(await zone.one({ owner: X, release: true, generation: 4, instance: 'u1' })).toMatchObject({ status: 409 });
  expect(await zone.one(set(5, '192.0.2.5', { drift: 'Report', share: true }))).toMatchObject({ status: 200 });
  expect(await zone.one(set(5, '192.0.2.6', { name: 'moved', exact: true }))).toMatchObject({
    status: 409,
    field: 'generation',
  });
  expect(await zone.contents()).toEqual(['www A 192.0.2.5']);
  expect(await zone.one(set(1, '192.0.2.1', { instance: 'u2' }))).toMatchObject({ status: 200, changed: true });
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
});

test('a lower generation with the same values changes nothing, and the next generation counts from there', async () => {
  const zone = await newZone();
  const set = (generation: number, value: string, more: object = {}) =>
    a(X, [value], { generation, instance: 'u1', ...more });
  await zone.one(set(5, '192.0.2.5'));
  expect(await zone.one(set(2, '192.0.2.5'))).toMatchObject({ status: 200, changed: false });
  expect(await zone.one(set(1, '192.0.2.1'))).toMatchObject({ status: 409, field: 'generation' });
  expect(await zone.one(set(1, '192.0.2.5', { name: 'moved', exact: true }))).toMatchObject({ status: 409 });
  expect(await zone.one(set(3, '192.0.2.3'))).toMatchObject({ status: 200, changed: true });
  expect(await zone.contents()).toEqual(['www A 192.0.2.3']);
});

test('each wrong set is refused alone, with field and sentence, and nothing of it is written', async () => {
  const zone = await newZone();
  const soon = new Date(Date.now() + 60_000).toISOString();
  const wrong: [object, string | undefined][] = [
    [a('k8s', ['192.0.2.1']), 'owner'],
    [a('K8S:x', ['192.0.2.1']), 'owner'],
    [a(`k8s:${'x'.repeat(397)}`, ['192.0.2.1']), 'owner'],
    [a('k8s:x\n', ['192.0.2.1']), 'owner'],
    [a('k8s:a', ['192.0.2.1'], { expires: new Date(Date.now() - 1_000).toISOString() }), 'expires'],
    [a('k8s:b', ['192.0.2.1'], { expires: new Date(Date.now() + 25 * 3_600_000).toISOString() }), 'expires'],
    [a('k8s:c', ['192.0.2.1'], { expires: 'tomorrow' }), 'expires'],
    [a('k8s:d', ['192.0.2.1'], { release: true }), 'name'],
    [a('k8s:e', [], { expires: soon }), 'expires'],
    [{ owner: 'k8s:f', name: 'www', type: 'A' }, 'values'],
    [a('k8s:g', ['192.0.2.1', '192.0.2.1']), 'values.1.content'],
    [a('k8s:h', ['192.0.2.1', 'nonsense']), 'values.1.content'],
    [a('k8s:i', ['192.0.2.1'], { type: 'SOA' }), 'type'],
    [a('k8s:j', ['192.0.2.1'], { name: 'a..b' }), 'name'],
    [a('k8s:k', ['192.0.2.1'], { ttl: 1 }), 'ttl'],
    [a('k8s:l', ['192.0.2.1'], { drift: 'Perhaps' }), 'drift'],
    [a('k8s:m', ['192.0.2.1'], { unknown: 1 }), 'unknown'],
    [a('k8s:n', ['192.0.2.1'], { generation: -1 }), 'generation'],
    [a('k8s:twice', ['192.0.2.1']), 'name'],
    [a('k8s:twice', ['192.0.2.2'], { name: 'WWW' }), 'name'],
    [{ owner: 'k8s:both', release: true }, 'release'],
    [a('k8s:both', ['192.0.2.1']), 'release'],
    [a('k8s:mixed', ['192.0.2.1'], { exact: true }), 'exact'],
    [a('k8s:mixed', ['192.0.2.1'], { name: 'other' }), 'exact'],
  ];
  const results = await zone.apply(...wrong.map(([set]) => set), a('k8s:good', ['192.0.2.99']));
  expect(results.map(({ field }, index) => [index, field])).toEqual([
    ...wrong.map(([, field], index) => [index, field]),
    [wrong.length, undefined],
  ]);
  expect(results.slice(0, -1).filter(({ status, message }) => status !== 400 || message.length < 20)).toEqual([]);
  expect(await zone.contents()).toEqual(['www A 192.0.2.99']);
  expect((await zone.owners()).owners.map(({ owner }) => owner)).toEqual(['k8s:good']);
  const tooMany = Array.from({ length: 1_001 }, () => a(X, []));
  expect(await zone.send(tooMany)).toMatchObject({ status: 400, body: { field: 'sets' } });
});

test('the rules of records refuse a set with the field of its value', async () => {
  const zone = await newZone();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const cname = { owner: X, name: 'www', type: 'CNAME', values: [{ content: 'a.example' }] };
  expect(await zone.one(cname)).toMatchObject({ status: 409, error: 'conflict', field: 'type' });
  const long = 'x'.repeat(200);
  const txt = (count: number) => Array.from({ length: count }, (_, index) => ({ content: `"${long}${index}"` }));
  expect(await zone.one({ owner: X, name: 'txt', type: 'TXT', values: txt(200) })).toMatchObject({ status: 200 });
  const more = await zone.one({
    owner: Y,
    name: 'txt',
    type: 'TXT',
    values: txt(200).map(({ content }) => ({ content: `${content} "y"` })),
  });
  expect(more).toMatchObject({ status: 400, error: 'bad_request' });
  expect(more.field).toMatch(/^values\.\d+\.content$/);
  expect((await zone.owners(`?prefix=${Y}`)).owners).toEqual([]);
});

test('owners are listed in order, by prefix and page by page', async () => {
  const zone = await newZone();
  const names = Array.from(
    { length: 25 },
    (_, index) => `k8s:${index % 2 ? 'one' : 'two'}/default/${String(index).padStart(2, '0')}`,
  );
  await zone.apply(...names.map((owner, index) => a(owner, ['192.0.2.1'], { name: `n${index}` })));
  expect((await zone.owners()).owners.map(({ owner }) => owner)).toEqual([...names].sort());
  const found: string[] = [];
  for (let query = '?prefix=k8s:one/&limit=5'; query; ) {
    const { owners, next } = await zone.owners(query);
    expect(owners.length).toBeLessThanOrEqual(5);
    found.push(...owners.map(({ owner }) => owner));
    query = next === undefined ? '' : `?prefix=k8s:one/&limit=5&cursor=${next}`;
  }
  expect(found).toEqual(names.filter((name) => name.startsWith('k8s:one/')).sort());
  expect(await request('GET', `${zone.path}/owners?cursor=nonsense`)).toMatchObject({
    status: 400,
    body: { field: 'cursor' },
  });
});

test('everything of an owner is released at once, and deleting a zone deletes its owners', async () => {
  const zone = await newZone();
  await zone.apply(
    a(X, ['192.0.2.1']),
    { owner: X, name: 'child', type: 'NS', values: [{ content: 'ns.example.net' }] },
    { owner: X, name: 'child', type: 'DS', values: [{ content: `1 13 2 ${'ab'.repeat(32)}` }] },
    a(Y, ['192.0.2.2']),
  );
  expect((await zone.records()).length).toBe(4);
  expect(await zone.one({ owner: X, release: true })).toMatchObject({ status: 200, changed: true });
  expect(await zone.contents()).toEqual(['www A 192.0.2.2']);
  expect(await zone.one({ owner: X, release: true })).toMatchObject({ status: 200, changed: false });
  await request('DELETE', zone.path);
  expect(await sql`select from owned_sets s left join zones z on z.no = s.zone_no where z.no is null`).toEqual([]);
});
