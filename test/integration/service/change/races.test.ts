// Concurrent requests at two replicas: one of them succeeds, the others are refused, and the rows are always
// consistent.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ busyAfterMs: 60_000 });
const { request, sql } = service;
const replica = await service.anotherApi();
const zone = await service.zone('races.example');
const records = `/zones/${zone.id}/records`;

const outcome = (reply: Reply) => (reply.status < 300 ? String(reply.status) : refusal(reply));
/** Sends `n` requests at once, alternating between both replicas, and counts the outcomes. */
async function race(n: number, send: (api: typeof request, i: number) => Promise<Reply>) {
  const replies = await Promise.all(Array.from({ length: n }, (_, i) => send(i % 2 ? request : replica.request, i)));
  const counts: Record<string, number> = {};
  for (const reply of replies) counts[outcome(reply)] = (counts[outcome(reply)] ?? 0) + 1;
  return counts;
}
const typesAt = async (name: string) =>
  (await sql`select type from records where name = ${name} order by type`).map(({ type }) => type as string);

test('50 identical creations at once give one 201 and 49 conflicts', async () => {
  const body = { name: 'same', type: 'A', content: '192.0.2.1' };
  expect(await race(50, (api) => api('POST', records, body))).toEqual({ 201: 1, '409 conflict': 49 });
  expect(await typesAt('same')).toEqual(['A']);
});

test('50 different values at one name all come in', async () => {
  const value = (i: number) => ({ name: 'many', type: 'A', content: `192.0.2.${i}` });
  expect(await race(50, (api, i) => api('POST', records, value(i)))).toEqual({ 201: 50 });
  expect((await service.dns.lookup('many.races.example', 'A')).answers).toHaveLength(50);
});

test('a CNAME and an A at the same time, many times: one of them succeeds, never both', async () => {
  for (let round = 0; round < 10; round++) {
    const name = `alias${round}`;
    const bodies = [
      { name, type: 'CNAME', content: 'target.example.net' },
      { name, type: 'A', content: '192.0.2.1' },
      { name, type: 'AAAA', content: '2001:db8::1' },
    ];
    await race(6, (api, i) => api('POST', records, bodies[(i >> 1) % 3]));
    const types = await typesAt(name);
    expect([['CNAME'], ['A', 'AAAA']]).toContainEqual(types);
  }
});

test('two updates that would close a loop together: one of them is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [`la${round}`, `lb${round}`];
    const [one, two] = [
      await service.record(zone, a, 'CNAME', 'out.example.net'),
      await service.record(zone, b, 'CNAME', 'out.example.net'),
    ];
    const bodies = [
      { name: a, type: 'CNAME', content: `${b}.races.example` },
      { name: b, type: 'CNAME', content: `${a}.races.example` },
    ];
    const ids = [one.id, two.id];
    const counts = await race(2, (api, i) => api('PUT', `${records}/${ids[i]}`, bodies[i]));
    expect(counts).toEqual({ 200: 1, '409 conflict': 1 });
  }
});

test('deleting a zone while records are created leaves no record', async () => {
  for (let round = 0; round < 5; round++) {
    const doomed = await service.zone();
    const [row] = await sql`select no from zones where id = ${doomed.id}`;
    const counts = await race(20, (api, i) =>
      i === 10
        ? api('DELETE', `/zones/${doomed.id}`)
        : api('POST', `/zones/${doomed.id}/records`, { name: `r${i}`, type: 'A', content: '192.0.2.1' }),
    );
    expect(counts['204']).toBe(1);
    expect((counts['201'] ?? 0) + (counts['404 no_zone'] ?? 0)).toBe(19);
    expect(await sql`select id from records where zone_no = ${row?.no}`).toEqual([]);
    await expect.poll(async () => (await service.dns.lookup(`r1.${doomed.zoneName}`, 'A')).rcode).toBe('REFUSED');
  }
});

test('deleting one record 20 times at once deletes it once', async () => {
  const { id } = await service.record(zone, 'once', 'A', '192.0.2.1');
  expect(await race(20, (api) => api('DELETE', `${records}/${id}`))).toEqual({ 204: 1, '404 not_found': 19 });
});

test('20 creations of one zone at once, by any key, create one zone', async () => {
  const other = await service.key({ team: 'second' });
  const counts = await race(20, (api, i) => {
    const { text, team } = i % 4 < 2 ? service.admin : other;
    return api('POST', '/zones', { zoneName: 'one.races.test', owner: `org:${team}` }, text);
  });
  expect(counts).toEqual({ 200: 1, '409 conflict': 19 });
});

test('parent and child of different teams at once: only one of them can be', async () => {
  const other = await service.key({ team: 'second' });
  for (let round = 0; round < 5; round++) {
    const counts = await race(8, (api, i) =>
      i % 4 < 2
        ? api('POST', '/zones', { zoneName: `p${round}.test`, owner: zone.owner })
        : api('POST', '/zones', { zoneName: `c.p${round}.test`, owner: `org:${other.team}` }, other.text),
    );
    expect(counts).toEqual({ 200: 1, '409 conflict': 7 });
  }
});

test('a child zone and records at its names at the same time: never both', async () => {
  for (let round = 0; round < 8; round++) {
    const name = `kid${round}`;
    await race(4, (api, i) =>
      i < 2
        ? api('POST', '/zones', { zoneName: `${name}.races.example`, owner: zone.owner })
        : api('POST', records, { name: `www.${name}`, type: 'A', content: '192.0.2.1' }),
    );
    const kids = await sql`select 1 from zones where name = ${`${name}.races.example`}`;
    expect(kids.length + (await typesAt(`www.${name}`)).length).toBe(1);
  }
});

test('each of 100 changes at two replicas has a serial of its own, in the order of the history', async () => {
  const other = await service.zone();
  await race(100, (api, i) =>
    api('POST', `/zones/${other.id}/records`, { name: `s${i}`, type: 'A', content: '192.0.2.1' }),
  );
  const rows = await sql`select serial::int from changes where zone_id = ${other.id} order by serial`;
  const serials = rows.map(({ serial }) => serial as number);
  expect(new Set(serials).size).toBe(101);
  expect((await request('GET', `/zones/${other.id}`)).body.serial).toBe(serials.at(-1));
});
