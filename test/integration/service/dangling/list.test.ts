// The list of dangling names, from results of lookups that the tests write: which records it has, and for whom.
import { expect, test } from 'vitest';
import type { DanglingName } from '#contract/dangling.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { sql, request } = service;
const other = await service.key({ team: 'other' });

interface Missing {
  owner?: string;
  isDomain?: boolean;
  absences?: number;
}

/** Writes that lookups have not found the target. */
async function missing(target: string, { owner = service.admin.team, isDomain = false, absences = 3 }: Missing = {}) {
  await sql`insert into record_targets (target, owner, domain, due_at, checked_at, absences, absent_since, absent_name,
      is_domain_absent)
    values (${`${target}.`}, ${owner}, ${target}, now() + interval '1 hour', now(), ${absences}, now(), ${target}, ${isDomain})`;
}

async function add(zone: { id: string }, name: string, type: string, content: string) {
  const reply = await request('POST', `/zones/${zone.id}/records`, { name, type, content });
  expect(reply.status, reply.text).toBe(201);
  return reply.body as { id: string };
}

async function list(query = '', key: { text: string } = service.admin): Promise<DanglingName[]> {
  const reply = await request('GET', `/dangling-names${query}`, undefined, key.text);
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { danglingNames: DanglingName[] }).danglingNames;
}

/** The dangling names of a zone, in a short form. */
const shown = async (zone: { id: string }) =>
  (await list(`?zone=${zone.id}`)).map((each) => `${each.name} ${each.type} ${each.target} ${each.missing}`);

test('the target of a challenge CNAME dangles only if its whole domain does not exist', async () => {
  const zone = await service.zone();
  await add(zone, '_acme-challenge.www', 'CNAME', 'www.challenges.example');
  await add(zone, '_acme-challenge', 'CNAME', 'token.free-domain.example');
  await missing('www.challenges.example');
  await missing('token.free-domain.example', { isDomain: true });
  expect(await shown(zone)).toEqual(['_acme-challenge CNAME token.free-domain.example domain']);
});

test('a record that was changed or deleted is not listed any more, at once', async () => {
  const zone = await service.zone();
  const [one, two] = [
    await add(zone, 'one', 'CNAME', 'leaves.example'),
    await add(zone, 'two', 'CNAME', 'leaves.example'),
  ];
  await missing('leaves.example');
  expect(await shown(zone)).toHaveLength(2);
  await request('DELETE', `/zones/${zone.id}/records/${one.id}`);
  const body = { name: 'two', type: 'CNAME', content: 'there.example' };
  expect((await request('PUT', `/zones/${zone.id}/records/${two.id}`, body)).status).toBe(200);
  expect(await shown(zone)).toEqual([]);
});

test('a key sees the dangling names of records that it may read, and of no other', async () => {
  const [zone, hidden] = [await service.zone('seen.example'), await service.zone('hidden.example')];
  for (const each of [zone, hidden]) {
    await add(each, 'www', 'CNAME', 'rights.example');
    await add(each, 'mail', 'MX', 'rights.example');
  }
  await missing('rights.example');
  // The other team has the same target, in no record.
  await missing('rights.example', { owner: other.team });
  const zones = async (key: { text: string }) =>
    (await list('', key)).filter(({ target }) => target === 'rights.example').map((each) => each.zoneName);
  expect(await zones(service.admin)).toEqual(['seen.example', 'seen.example', 'hidden.example', 'hidden.example']);
  expect(await zones(other)).toEqual([]);
  const onlyOne = await service.key({ records: 'none', manageZones: 'none', grants: { [zone.id]: 'read' } });
  expect(await zones(onlyOne)).toEqual(['seen.example', 'seen.example']);
  const notOne = await service.key({ grants: { [hidden.id]: 'none' } });
  expect(await zones(notOne)).toEqual(['seen.example', 'seen.example']);
  const narrow = await service.key({ onlyNames: ['mail'], onlyTypes: ['MX'] });
  expect((await list(`?zone=${zone.id}`, narrow)).map(({ type }) => type)).toEqual(['MX']);
  // Refused before any work.
  const statuses = async (key: { text: string }, query: string) =>
    (await request('GET', `/dangling-names${query}`, undefined, key.text)).status;
  const nothing = await service.key({ records: 'none' });
  expect(await statuses(nothing, '')).toBe(403);
  expect(await statuses(nothing, `?zone=${zone.id}`)).toBe(403);
  expect(await statuses(other, `?zone=${zone.id}`)).toBe(404);
  expect(await statuses(service.admin, '?zone=zone_none')).toBe(404);
  expect(await statuses(service.admin, '?limit=0')).toBe(400);
  expect(await statuses(service.admin, '?zones=x')).toBe(400);
  expect(await statuses(service.admin, '?cursor=!')).toBe(400);
});

test('a target is listed after its third absence', async () => {
  const zone = await service.zone();
  await add(zone, 'x', 'CNAME', 'suspected.example');
  await missing('suspected.example', { absences: 2 });
  expect(await shown(zone)).toEqual([]);
  await sql`update record_targets set absences = 3 where target = 'suspected.example.'`;
  expect(await shown(zone)).toEqual(['x CNAME suspected.example name']);
});

test('the list has pages that together have every dangling name once', async () => {
  const zone = await service.zone();
  for (let number = 0; number < 5; number += 1) await add(zone, `p${number}`, 'CNAME', `page${number % 2}.example`);
  await missing('page0.example');
  await missing('page1.example');
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await request('GET', `/dangling-names?zone=${zone.id}&limit=2${cursor && `&cursor=${cursor}`}`);
    const page = body as { danglingNames: DanglingName[]; next?: string };
    expect(page.danglingNames.length).toBeLessThanOrEqual(2);
    names.push(...page.danglingNames.map(({ name }) => name));
    cursor = page.next;
  }
  expect(names.sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
});
