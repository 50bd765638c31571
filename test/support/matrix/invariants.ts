// "The world is consistent": the invariants after every cell of the fault matrix. They are checked from outside:
// objects by the API server, rows by SQL, answers by DNS.
//
//   every object   is Ready for its own generation, is not being deleted, and owns the values of its spec at the service
//   every zone     at the service belongs to exactly one object, or is foreign, and was made once
//   every record   at the service has exactly one owner, which is an object, or is foreign and as it was, and was made once
//   the service    holds exactly the records of the specs and the foreign ones, and DNS answers them (wanted.ts)
import { isAbsent } from '#client/errors.ts';
import { fetchRecords, readOwnerPages } from '#client/lists.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { Condition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import type { Chain } from './chain.ts';
import { formatWanted, groupAnswers, listWanted } from './wanted.ts';

export interface World {
  /** Every zone of the cell has this name or ends with it. */
  readonly zoneName: string;
  readonly namespace: string;
  /** A record of another owner, as it was at that time. */
  readonly foreign: readonly DnsRecord[];
  /**
   * All changes ever made at the service, as `record.create 2, zone.create 1`: exactly once is no more and no less.
   * Absent: any.
   */
  readonly history?: string | RegExp | undefined;
}

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

/** Sentences about what is wrong; none when all is right. */
export async function inconsistencies(chain: Chain, world: World): Promise<string[]> {
  const { zones, records } = await listObjects(chain, world);
  // While the operator works, its objects say so, and most looks end here.
  const unfinished = [
    ...zones.flatMap((zone) => unready('DNSZone', zone, 'True')),
    ...records.flatMap((record) => unreadyRecord(record, findRecordZone(record, zones))),
  ];
  if (unfinished.length > 0) return unfinished;
  const stored = await zonesAtService(chain, world.zoneName);
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const zone of zones) {
    const { zoneId } = zone.status ?? {};
    const there = stored.find(({ id }) => id === zoneId);
    if (!there) problems.push(`DNSZone ${zone.metadata.name} names the zone ${zoneId}, which is not there`);
    else {
      owners.set(there.id, zone.metadata.name);
      if ((there.state === 'parked') !== zone.spec.parked) problems.push(`${there.name} is ${there.state}`);
    }
  }
  for (const { id, name } of stored) if (!owners.has(id)) problems.push(`the zone ${name} (${id}) is an orphan`);
  const history = await readHistoryText(chain, world.zoneName);
  if (world.history !== undefined && !isHistory(history, world.history))
    problems.push(`the history is [${history}] instead of [${world.history}]`);

  const held = new Map<string, DnsRecord[]>();
  const sets: OwnedSet[] = [];
  for (const { id } of stored) {
    try {
      held.set(id, await fetchRecords(chain.client, id, {}));
      for await (const page of readOwnerPages(chain.client, id, {})) sets.push(...page);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      problems.push(`the zone ${id} was deleted during the look`);
    }
  }
  for (const record of records) problems.push(...wrongOwner(record, zones, sets, owners));
  for (const { owner } of sets)
    if (!records.some(({ metadata }) => owner.endsWith(`/${metadata.namespace}/${metadata.name}`)))
      problems.push(`the owner ${owner} is an orphan`);
  const all = [...held.values()].flat();
  for (const record of all) {
    const own = world.foreign.find(({ id }) => id === record.id);
    if (own && JSON.stringify(own) !== JSON.stringify(record)) problems.push(`the foreign ${record.name} was changed`);
    if (!own && !owners.has(record.id)) problems.push(`the record ${record.name} ${record.content} is an orphan`);
  }
  for (const { id, name } of world.foreign)
    if (!all.some((record) => record.id === id)) problems.push(`the foreign ${name} is gone`);
  for (const zone of zones) {
    const there = stored.find(({ id }) => id === zone.status?.zoneId);
    const own = records.filter(({ spec }) => spec.zoneRef.name === zone.metadata.name);
    const wanted = [...own.flatMap(({ spec }) => listWanted(spec, zone.spec)), ...world.foreign];
    const holds = formatWanted(held.get(there?.id ?? '') ?? []);
    if (holds !== formatWanted(wanted))
      problems.push(`the service holds [${holds}] instead of [${formatWanted(wanted)}]`);
    if (there) problems.push(...(await wrongAnswers(chain, there, groupAnswers(there.name, wanted))));
  }
  return problems;
}

/** The leftovers of a cell after all of its objects were deleted; records of other owners are not orphans. */
export async function leftovers(chain: Chain, world: World): Promise<string[]> {
  const { zones, records } = await listObjects(chain, world);
  const objects = [...zones, ...records].map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`);
  if (objects.length > 0) return objects;
  const { answers } = await chain.dns.lookup(`www.${world.zoneName}`, 'A');
  return [
    ...(await zonesAtService(chain, world.zoneName)).map(({ name }) => `the zone ${name} is still at the service`),
    ...answers.map((answer) => `DNS still answers ${answer}`),
  ];
}

export async function listObjects(
  { api }: Chain,
  { namespace }: Pick<World, 'namespace'>,
): Promise<{ zones: DNSZone[]; records: DNSRecord[] }> {
  const zones = await api.list<DNSZone>(DNS_ZONE, { namespace });
  const records = await api.list<DNSRecord>(DNS_RECORD, { namespace });
  return { zones: zones.items, records: records.items };
}

/** Why the cell's first object of a kind is Ready, or is not. */
export async function reasonOfReady(chain: Chain, world: Pick<World, 'namespace'>, kind: 'zones' | 'records') {
  const [object] = (await listObjects(chain, world))[kind];
  return object?.status?.conditions.find(({ type }) => type === 'Ready')?.reason;
}

async function zonesAtService({ sql }: Chain, zoneName: string): Promise<Stored[]> {
  return sql<Stored[]>`
    select id, name, state from zones where name = ${zoneName} or name like ${`%.${zoneName}`} order by name`;
}

/** The number of changes of each kind that the service ever made under the name, as World.history says it. */
export async function readHistoryText({ sql }: Chain, zoneName: string): Promise<string> {
  const rows = await sql<{ line: string }[]>`
    select action || ' ' || count(*) as line from changes
    where zone_name = ${zoneName} or zone_name like ${`%.${zoneName}`} group by action order by action`;
  return rows.map(({ line }) => line).join(', ');
}

const isHistory = (is: string, wanted: string | RegExp) =>
  typeof wanted === 'string' ? is === wanted : wanted.test(is);

/** Ready of every object of the cell, and the time since when it has been so. */
export async function listTransitions(chain: Chain, world: Pick<World, 'namespace'>): Promise<string[]> {
  const { zones, records } = await listObjects(chain, world);
  return [...zones, ...records].map(({ kind, metadata, status }) => {
    const ready: Condition | undefined = status?.conditions.find(({ type }) => type === 'Ready');
    return `${kind} ${metadata.name} is ${ready?.status} ${ready?.reason} since ${ready?.lastTransitionTime}`;
  });
}

function unready(kind: string, object: DNSZone | DNSRecord, wanted: string, reason?: string): string[] {
  const { name, generation, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return [`${kind} ${name} is still being deleted`];
  const conditions: readonly Condition[] = object.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === wanted && ready.observedGeneration === generation && (!reason || ready.reason === reason))
    return [];
  return [`${kind} ${name} is ${ready?.status} ${ready?.reason} for ${ready?.observedGeneration} of ${generation}`];
}

const findRecordZone = (record: DNSRecord, zones: readonly DNSZone[]) =>
  zones.find(({ metadata }) => metadata.name === record.spec.zoneRef.name);

function unreadyRecord(record: DNSRecord, zone: DNSZone | undefined): string[] {
  return zone?.spec.parked ? unready('DNSRecord', record, 'False', 'ZoneParked') : unready('DNSRecord', record, 'True');
}

function wrongOwner(
  record: DNSRecord,
  zones: readonly DNSZone[],
  sets: readonly OwnedSet[],
  owners: Map<string, string>,
): string[] {
  const { name, namespace } = record.metadata;
  const zone = findRecordZone(record, zones);
  const problems: string[] = [];
  const wanted = listWanted(record.spec, zone?.spec ?? {}).map(({ content }) => content);
  const own = sets.filter(({ owner }) => owner.startsWith('k8s:') && owner.endsWith(`/${namespace}/${name}`));
  const owned = own
    .flatMap(({ records }) => records)
    .map(({ id, content }) => {
      if (owners.has(id)) problems.push(`${id} belongs to ${owners.get(id)} and ${name}`);
      owners.set(id, name);
      return content;
    });
  if (JSON.stringify(owned.sort()) !== JSON.stringify(wanted.sort()))
    problems.push(`DNSRecord ${name} wants [${wanted}] and has [${owned}]`);
  return problems;
}

async function wrongAnswers({ dns }: Chain, { state }: Stored, wanted: Map<string, string[]>): Promise<string[]> {
  const problems: string[] = [];
  for (const [question, lines] of wanted) {
    const [name = '', type = ''] = question.split(' ');
    const { answers } = await dns.lookup(name, type);
    const right = state === 'parked' ? [] : lines;
    if (JSON.stringify(answers) !== JSON.stringify(right))
      problems.push(`DNS answers ${question} with [${answers}] instead of [${right}]`);
  }
  return problems;
}
