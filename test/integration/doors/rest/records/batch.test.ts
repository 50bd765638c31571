// POST /zones/{id}/records:batch: one transaction, one serial, one history entry for each change; atomic, or each
// change alone; counted, repeatable, served.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ limits: true });
const { request, sql, dns } = service;
const many = await service.key({ recordWrites: 1_000_000, zoneWrites: 1_000 });

type Result = {
  status: number;
  record?: { id: string; name: string; content: string };
  error?: string;
  message?: string;
};

let zones = 0;
const freshZone = () => service.zone(`batch${++zones}.example`, many);
const send = (zone: { id: string }, changes: unknown, more: object = {}, key = many.text, headers = {}) =>
  request('POST', `/zones/${zone.id}/records:batch`, { changes, ...more }, key, headers);
const create = (name: string, type: string, content: string, more = {}) => ({
  action: 'create',
  record: { name, type, content, ...more },
});
const results = (reply: { body: Record<string, unknown> }) => reply.body.results as Result[];
const statuses = (reply: { body: Record<string, unknown> }) => results(reply).map(({ status }) => status);
const listed = async (zone: { id: string }) => {
  const reply = await request('GET', `/zones/${zone.id}/records`, undefined, many.text);
  return (reply.body.records as { name: string; type: string; content: string }[]).map(
    ({ name, type, content }) => `${name} ${type} ${content}`,
  );
};
const serialOf = async (zone: { id: string }) =>
  (await request('GET', `/zones/${zone.id}`, undefined, many.text)).body.serial as number;

test('an atomic batch creates, updates and deletes in one serial, with one history entry for each change, and is served', async () => {
  const zone = await freshZone();
  const made = await send(zone, [create('old', 'A', '192.0.2.1'), create('www', 'A', '192.0.2.2', { ttl: 60 })]);
  expect([made.status, statuses(made)]).toEqual([200, [201, 201]]);
  const [old, www] = results(made).map(({ record }) => record!.id);
  const before = await serialOf(zone);

  const reply = await send(zone, [
    { action: 'delete', id: old },
    { action: 'update', id: www, record: { name: 'www', type: 'A', content: '192.0.2.3' } },
    create('@', 'TXT', 'v=spf1 -all'),
  ]);

  expect(statuses(reply)).toEqual([204, 200, 201]);
  expect(results(reply)[1]!.record).toEqual({
    id: www,
    name: 'www',
    type: 'A',
    content: '192.0.2.3',
    ttl: 3600,
    priority: null,
  });
  expect(await listed(zone)).toEqual(['@ TXT v=spf1 -all', 'www A 192.0.2.3']);
  const serial = await serialOf(zone);
  expect(serial).toBeGreaterThan(before);
  const history = await sql`select action, serial::int8 as serial from changes where zone_id = ${zone.id} order by id`;
  expect(history.slice(-3).map(({ action, serial: s }) => [action, Number(s)])).toEqual([
    ['record.delete', serial],
    ['record.update', serial],
    ['record.create', serial],
  ]);
  await expect
    .poll(async () => (await dns.lookup(`www.${zone.zoneName}`, 'A')).answers)
    .toEqual([`www.${zone.zoneName} 3600 A 192.0.2.3`]);
  expect((await dns.lookup(`old.${zone.zoneName}`, 'A')).rcode).toBe('NXDOMAIN');
});

test('an atomic batch changes nothing if one change is refused, and the error names the change', async () => {
  const zone = await freshZone();
  const before = await serialOf(zone);
  const reply = await send(zone, [
    create('a', 'A', '192.0.2.1'),
    create('b', 'A', '192.0.2.999'),
    create('c', 'A', 'x'),
  ]);
  expect(refusal(reply)).toBe('400 bad_request');
  expect(reply.body.message).toMatch(/^changes\.1\.content: /);
  expect([await listed(zone), await serialOf(zone)]).toEqual([[], before]);
});

test('an atomic batch checks each change against the result of the changes before it', async () => {
  const zone = await freshZone();
  const made = await send(zone, [create('www', 'A', '192.0.2.1'), create('deep.sub', 'A', '192.0.2.9')]);
  const [www, deep] = results(made).map(({ record }) => record!.id);
  const conflict = await send(zone, [create('www', 'CNAME', 'example.net'), { action: 'delete', id: www }]);
  expect(refusal(conflict)).toBe('409 conflict');
  expect(conflict.body.message).toMatch(/^changes\.0\.type: /);

  const reply = await send(zone, [
    { action: 'delete', id: www },
    create('www', 'CNAME', 'example.net'),
    { action: 'delete', id: deep },
    create('sub', 'NS', `ns1.sub.${zone.zoneName}`),
    create('sub', 'DS', `1 13 2 ${'0a'.repeat(32)}`),
    create('ns1.sub', 'A', '192.0.2.53'),
  ]);
  expect(statuses(reply)).toEqual([204, 201, 204, 201, 201, 201]);

  const hidden = await send(zone, [create('x.cut', 'A', '192.0.2.1'), create('cut', 'NS', 'ns.example.net')]);
  expect(hidden.body.message).toMatch(/^changes\.1\.name: .*x\.cut/);
  const twins = await send(zone, [create('twin', 'AAAA', '2001:db8::1'), create('twin', 'AAAA', '2001:DB8:0::1')]);
  expect([refusal(twins), String(twins.body.message).slice(0, 18)]).toEqual(['409 conflict', 'changes.1.content:']);
  const loop = await send(zone, [
    create('l1', 'CNAME', `l2.${zone.zoneName}`),
    create('l2', 'CNAME', `l3.${zone.zoneName}`),
    create('l3', 'CNAME', `l1.${zone.zoneName}`),
  ]);
  expect(loop.body.message).toMatch(/^changes\.2\.content: .*loop/);
});

test('an atomic batch may exchange the values of two records, and change one record twice', async () => {
  const zone = await freshZone();
  const made = await send(zone, [create('x', 'A', '192.0.2.1'), create('x', 'A', '192.0.2.2')]);
  const [one, two] = results(made).map(({ record }) => record!.id);
  const set = (id: string | undefined, content: string) => ({
    action: 'update',
    id,
    record: { name: 'x', type: 'A', content },
  });
  const reply = await send(zone, [set(one, '192.0.2.3'), set(two, '192.0.2.1'), set(one, '192.0.2.2')]);
  expect(statuses(reply)).toEqual([200, 200, 200]);
  const rows = await sql`select id, content from records where id in (${one!}, ${two!}) order by content`;
  expect(rows.map((row) => [row.id, row.content])).toEqual([
    [two, '192.0.2.1'],
    [one, '192.0.2.2'],
  ]);
  // The digest is that of the value again: the same value is found as a duplicate.
  expect(refusal(await send(zone, [create('x', 'A', '192.0.2.2')]))).toBe('409 conflict');
});

test('an atomic batch that changes nothing gets no new serial', async () => {
  const zone = await freshZone();
  const made = await send(zone, [create('x', 'A', '192.0.2.1')]);
  const { id } = results(made)[0]!.record!;
  const before = await serialOf(zone);
  const same = { action: 'update', id, record: { name: 'x', type: 'A', content: '192.0.2.1' } };
  expect(statuses(await send(zone, [same]))).toEqual([200]);
  expect(await serialOf(zone)).toBe(before);
});

test('an atomic batch names a record that does not exist', async () => {
  const zone = await freshZone();
  const reply = await send(zone, [create('x', 'A', '192.0.2.1'), { action: 'delete', id: 'rec_\0' }]);
  expect([refusal(reply), reply.body.message]).toEqual(['404 not_found', 'changes.1.id: No such record in this zone.']);
});

test('a batch that is not atomic makes 999 of 1,000 changes if one is refused, and answers each result', async () => {
  const zone = await freshZone();
  const changes = Array.from({ length: 1000 }, (_, i) => create(`h${i}`, 'A', i === 500 ? 'nonsense' : '192.0.2.1'));
  const reply = await send(zone, changes, { atomic: false });
  expect(reply.status).toBe(200);
  expect(statuses(reply).filter((status) => status === 201)).toHaveLength(999);
  const { message, ...rest } = results(reply)[500]!;
  expect([rest, message]).toEqual([
    { status: 400, error: 'bad_request', field: 'content' },
    expect.stringMatching(/^content: /),
  ]);
  expect(await listed(zone)).toHaveLength(999);
});

test.each([
  ['an unknown action', { action: 'replace', id: 'rec_1' }, /action/],
  ['an unknown field', { ...create('a', 'A', '192.0.2.1'), ttl: 60 }, /ttl/],
  ['an unknown field of the record', create('a', 'A', '192.0.2.1', { remark: 'x' }), /remark/],
  ['a ttl of 29', create('a', 'A', '192.0.2.1', { ttl: 29 }), /^ttl: /],
  ['a type that is none', create('a', 'SPF', 'v=spf1 -all'), /^type: /],
  ['no object', 7, /object/],
])('a batch that is not atomic with %s answers for it alone', async (_, bad, message) => {
  const zone = await freshZone();
  const reply = await send(zone, [create('ok', 'A', '192.0.2.1'), bad], { atomic: false });
  expect(statuses(reply)).toEqual([201, 400]);
  expect(results(reply)[1]!.message).toMatch(message);
  expect(await listed(zone)).toEqual(['ok A 192.0.2.1']);
  expect(refusal(await send(zone, [bad]))).toBe('400 bad_request');
});

test('a batch that is not atomic refuses only the change that violates a database constraint', async () => {
  const zone = await freshZone();
  await sql`alter table records add constraint records_of_a_test check (content <> '192.0.2.66')`;
  try {
    const changes = [create('a', 'A', '192.0.2.1'), create('b', 'A', '192.0.2.66'), create('c', 'A', '192.0.2.3')];
    const atomic = await send(zone, changes);
    expect([refusal(atomic), await listed(zone)]).toEqual(['409 conflict', []]);
    expect(atomic.body.message).toMatch(/^changes\.1\.content: /);
    expect(statuses(await send(zone, changes, { atomic: false }))).toEqual([201, 409, 201]);
  } finally {
    await sql`alter table records drop constraint records_of_a_test`;
  }
  expect(await listed(zone)).toEqual(['a A 192.0.2.1', 'c A 192.0.2.3']);
  const history =
    await sql`select after->>'name' as name from changes where zone_id = ${zone.id} and action = 'record.create'`;
  expect(history.map(({ name }) => name)).toEqual(['a', 'c']);
});

test('rights are judged change by change', async () => {
  const zone = await freshZone();
  const acme = await service.key({ onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] });
  const changes = [create('_acme-challenge', 'TXT', 'token'), create('www', 'A', '192.0.2.1')];
  const reply = await send(zone, changes, { atomic: false }, acme.text);
  expect(statuses(reply)).toEqual([201, 403]);
  const atomic = await send(zone, changes.slice(1), {}, acme.text);
  expect([refusal(atomic), atomic.body.message]).toEqual([
    '403 forbidden',
    expect.stringMatching(/^changes\.0: This key/),
  ]);
});

test('a zone of another team does not exist for a batch', async () => {
  const zone = await freshZone();
  const other = await service.key({ team: 'second' });
  expect(refusal(await send(zone, [create('a', 'A', '192.0.2.1')], {}, other.text))).toBe('404 no_zone');
});

describe('the write window', () => {
  const numbers = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => create(`n${from + i}`, 'A', '192.0.2.1'));

  test('the write window counts each change, and answers 429 to a batch that exceeds the remaining writes', async () => {
    const zone = await freshZone();
    const key = await service.key();
    const since = performance.now();
    expect((await send(zone, numbers(0, 30), {}, key.text)).headers.ratelimit).toMatch(/r=30;/);
    expect((await send(zone, numbers(30, 20), {}, key.text)).headers.ratelimit).toMatch(/r=10;/);
    const refused = await send(zone, numbers(50, 11), {}, key.text);
    expect(refusal(refused)).toBe('429 rate_limited');
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThanOrEqual(Math.floor(60 - (performance.now() - since) / 1_000));
    expect(wait).toBeLessThanOrEqual(60);
    expect(await listed(zone)).toHaveLength(50);
    expect(statuses(await send(zone, numbers(50, 10), {}, key.text))).toHaveLength(10);
    expect(refusal(await request('POST', `/zones/${zone.id}/records`, numbers(99, 1)[0]!.record, key.text))).toBe(
      '429 rate_limited',
    );
  });

  test('the write window answers a correct Retry-After: after that time the batch fits the limit', async () => {
    const zone = await freshZone();
    const key = await service.key({ recordWrites: 10 });
    /** Acts as if this many seconds had passed. */
    const pass = (seconds: number) => sql`
      update write_windows set times = array(select t - make_interval(secs => ${seconds}) from unnest(times) t) where key_id = ${key.id}`;
    await send(zone, numbers(0, 4), {}, key.text);
    // Four writes of 40 s ago leave the window in 20 s, and the six recent ones stay.
    await pass(40);
    await send(zone, numbers(4, 3), {}, key.text);
    await send(zone, numbers(7, 3), {}, key.text);
    const refused = await send(zone, numbers(10, 4), {}, key.text);
    const wait = Number(refused.headers['retry-after']);
    expect([refusal(refused), wait > 0 && wait <= 20]).toEqual(['429 rate_limited', true]);
    await pass(wait);
    expect(statuses(await send(zone, numbers(10, 4), {}, key.text))).toEqual([201, 201, 201, 201]);
  });

  test('the write window counts a batch of any size at most as half of the limit', async () => {
    const zone = await freshZone();
    const [key, small] = [await service.key(), await service.key({ recordWrites: 5 })];
    expect((await send(zone, numbers(0, 500), {}, key.text)).headers.ratelimit).toMatch(/r=30;/);
    expect(await listed(zone)).toHaveLength(500);
    expect((await send(zone, numbers(500, 20), {}, small.text)).headers.ratelimit).toMatch(/r=2;/);
    expect(refusal(await send(zone, numbers(520, 20), {}, small.text))).toBe('429 rate_limited');
    expect((await send(zone, numbers(520, 2), {}, small.text)).headers.ratelimit).toMatch(/r=0;/);
  });

  test('the write window counts nothing if the zone is busy: 503, nothing written', async () => {
    const zone = await freshZone();
    const key = await service.key({ recordWrites: 5 });
    const { request: impatient } = await service.anotherApi({ busyAfterMs: 1_000 });
    const refused = await sql.begin(async (tx) => {
      await tx`select from zones where id = ${zone.id} for update`;
      return impatient('POST', `/zones/${zone.id}/records:batch`, { changes: numbers(0, 5) }, key.text);
    });
    expect([refusal(refused), Number(refused.headers['retry-after'])]).toEqual(['503 busy', 1]);
    expect(await listed(zone)).toEqual([]);
    expect(statuses(await send(zone, numbers(0, 5), {}, key.text))).toHaveLength(5);
  });

  test('the write window counts a refused batch as well', async () => {
    const zone = await freshZone();
    const key = await service.key({ recordWrites: 5 });
    for (const refused of [1, 2])
      expect((await send(zone, [...numbers(0, refused), create('bad', 'A', 'x')], {}, key.text)).status).toBe(400);
    expect(refusal(await send(zone, numbers(0, 1), {}, key.text))).toBe('429 rate_limited');
  });
});

test('a batch with an Idempotency-Key happens once, and is answered the same again', async () => {
  const zone = await freshZone();
  const changes = [create('once', 'A', '192.0.2.1'), create('once', 'A', 'bad')];
  const headers = { 'idempotency-key': 'batch-1' };
  const first = await send(zone, changes, { atomic: false }, many.text, headers);
  const second = await send(zone, changes, { atomic: false }, many.text, headers);
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(statuses(second)).toEqual([201, 400]);
  expect(await listed(zone)).toEqual(['once A 192.0.2.1']);
});

test('a delegation can be created in one batch with the addresses of its name servers', async () => {
  const zone = await freshZone();
  const server = (at: number) => `ns${at}.sub.${zone.zoneName}`;
  const changes = [
    create('ns1.sub', 'A', '192.0.2.1'),
    create('ns2.sub', 'A', '192.0.2.2'),
    create('sub', 'NS', server(1)),
    create('sub', 'NS', server(2)),
  ];
  expect(statuses(await send(zone, changes.slice(0, 2)))).toEqual([201, 201]);
  const alone = await request('POST', `/zones/${zone.id}/records`, changes[2]!.record);
  expect([refusal(alone), alone.body.message]).toEqual(['409 conflict', expect.stringContaining('at ns2.sub;')]);
  expect(statuses(await send(zone, changes.slice(2), { atomic: false }))).toEqual([201, 201]);
  expect((await dns.lookup(`www.sub.${zone.zoneName}`, 'A')).packet.authorities?.map(({ type }) => type)).toContain(
    'NS',
  );
});

test.each([
  ['no changes', { changes: [] }],
  ['1,001 changes', { changes: Array.from({ length: 1001 }, () => ({ action: 'delete', id: 'rec_1' })) }],
  ['changes that are not a list', { changes: {} }],
  ['an atomic that is not a boolean', { atomic: 'yes', changes: [{ action: 'delete', id: 'rec_1' }] }],
  ['an unknown field', { changes: [{ action: 'delete', id: 'rec_1' }], dryRun: true }],
])('a body with %s is refused', async (_, body) => {
  const zone = await freshZone();
  expect(refusal(await request('POST', `/zones/${zone.id}/records:batch`, body, many.text))).toBe('400 bad_request');
});

test('1,000 records by one batch are all answered', async () => {
  const zone = await freshZone();
  const changes = Array.from({ length: 1000 }, (_, i) => create(`h${i}`, 'A', `192.0.${2 + (i >> 8)}.${i & 255}`));
  const reply = await send(zone, changes);
  expect(statuses(reply)).toEqual(changes.map(() => 201));
  // A few queries at a time. A thousand at once would measure the machine.
  let open = changes;
  const stillWrong = async () => {
    const wrong: typeof changes = [];
    for (let at = 0; at < open.length; at += 25) {
      const some = open.slice(at, at + 25);
      const right = await Promise.all(
        some.map(async ({ record: { name, content } }) =>
          (await dns.lookup(`${name}.${zone.zoneName}`, 'A')).answers.join().endsWith(` A ${content}`),
        ),
      );
      wrong.push(...some.filter((_, index) => !right[index]));
    }
    open = wrong;
    return wrong.length;
  };
  await expect.poll(stillWrong).toBe(0);
});
