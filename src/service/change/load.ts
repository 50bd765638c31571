// Loads the data that a group is judged with: the records at the names that its works need, never the whole zone. One
// statement loads the data for one change or for a thousand.
import { fqdn, listSuffixes, orderName } from '#dns/names/name.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { MAX_LINKS } from '#dns/rules/chain.ts';
import { listAncestorNames, NAMES_SHOWN, NearbyRecords } from '#dns/rules/nearby-records.ts';
import type { Neighbour } from '#dns/rules/surroundings.ts';
import { finishInTurns, type Steps } from '#dns/steps.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { Db, Tx } from '#store/database.ts';
import { MAX_OWNED_SETS, octetsAround, type RecordRow, recordsAt } from '#store/records.ts';
import { type LoadedZone, loadZone, type ZoneQuery } from '#store/zone-load.ts';
import { type ZoneRow, zonesBelow } from '#store/zones.ts';
import { recordLevel } from '../accounts/actor.ts';
import type { ZoneIdentity } from '../zones/identity.ts';
import type { GroupMember, JudgingData } from './judge.ts';
import { tokenKey } from './state.ts';
import type { Needs } from './work.ts';

/**
 * The octets of stored contents and values that one transaction may load to judge its changes. This limits its memory.
 */
export const MAX_OCTETS = 8 * 1024 * 1024;
/** This number of names cannot have more octets than MAX_OCTETS, because each record set has a limit of its own. */
const NAMES_WITHOUT_CHECK = 8;

/** The records that a group is judged with are larger than MAX_OCTETS. */
export class TooManyOctets extends Error {}

/** The owners that a group names hold more than MAX_OWNED_SETS sets in the zone. */
export class TooManySets extends TooManyOctets {}

/**
 * Sends one statement, and one more for each further link of the alias chains in the zone.
 * @throws TooManyOctets
 */
export async function loadJudgingData(
  on: Db | Tx,
  zoneId: string,
  { no, name }: Pick<ZoneIdentity, 'no' | 'name'>,
  members: readonly GroupMember[],
  now: Date,
): Promise<Omit<JudgingData, 'budget'>> {
  // Works of keys without write access are refused before any record is needed.
  const needs = combine(members.filter(({ caller }) => recordLevel(caller.actor, zoneId) === 'write'));
  const { written, names: neededNames, owners } = needs;
  const query = { ...buildQuery(name, needs), ...collectTokens(members), withOwners: needs.withOwners, zoneId, now };
  const names = query.ordernames.length + query.ids.length;
  const mustCheck = names + owners.length > NAMES_WITHOUT_CHECK;
  if (mustCheck) await mustBeBounded(on, no, { ...query, owners });
  const load = (limit: number) => loadZone(on, { ...query, owners: { texts: owners, limit } });
  const few = NAMES_WITHOUT_CHECK - names + 1;
  let loadedZone = await load(mustCheck ? MAX_OWNED_SETS : few);
  // The owners may have more sets than were read.
  const ownerSet = new Set(owners);
  if (!mustCheck && owners.length > 0 && loadedZone.sets.filter(({ owner }) => ownerSet.has(owner)).length >= few) {
    await mustBeBounded(on, no, { ...query, owners });
    loadedZone = await load(MAX_OWNED_SETS);
  }
  const records = new LoadedRecords(query.ordernames);
  await finishInTurns(records.add([], loadedZone.records));
  // A plan may write an existing record with another TTL.
  const readNames = new Set(neededNames);
  const rewrittenRows = records.rows.filter((row) => readNames.has(row.name));
  for (const { ordername } of loadedZone.sets) records.ordernames.add(ordername);
  const looked = [...written, ...rewrittenRows];
  if (loadedZone.zone) await followLinks(on, loadedZone.zone, records, looked);
  const hostedZones = loadedZone.zone ? await zonesBelowDnames(on, loadedZone.zone, looked) : [];
  return buildJudgingData(name, { ...loadedZone, children: [...loadedZone.children, ...hostedZones] }, records);
}

/** @throws TooManyOctets */
async function mustBeBounded(on: Db | Tx, no: number, query: Parameters<typeof octetsAround>[2]): Promise<void> {
  const { octets, sets } = await octetsAround(on, no, query);
  if (sets > MAX_OWNED_SETS) throw new TooManySets();
  if (octets > MAX_OCTETS) throw new TooManyOctets();
}

/** One hosted zone below each DNAME that is about to be written, if there are any. */
async function zonesBelowDnames(
  on: Db | Tx,
  zone: ZoneRow,
  writtenRecords: readonly Pick<ParsedRecord, 'type' | 'name'>[],
) {
  const hostedZones: { id: string; name: string }[] = [];
  const redirectedNames = new Set(
    writtenRecords.flatMap(({ type, name }) => (type === 'DNAME' ? [fqdn(name, zone.name)] : [])),
  );
  for (const name of redirectedNames) hostedZones.push(...(await zonesBelow(on, orderName(name), 1)));
  return hostedZones;
}

/** The needs of all members together. */
function combine(members: readonly GroupMember[]): Needs {
  const all = members.map(({ work }) => work.needs);
  return {
    written: all.flatMap(({ written }) => written),
    names: all.flatMap(({ names }) => names),
    ordernames: all.flatMap(({ ordernames }) => ordernames),
    ids: [...new Set(all.flatMap(({ ids }) => ids))],
    owners: [...new Set(all.flatMap(({ owners }) => owners))],
    withOwners: all.some(({ withOwners }) => withOwners),
    tokens: all.flatMap(({ tokens }) => tokens),
  };
}

function buildQuery(zone: string, { written, names, ordernames: others, ids }: Needs) {
  const recordNames = [...new Set([...written.map((record) => record.name), ...names])];
  const ordernames = new Set([...recordNames.map(orderName), ...others]);
  // The first link of an alias or a delegation is in the changes. followLinks loads the others.
  for (const target of missingTargets(zone, new LoadedRecords([]), written)) ordernames.add(target);
  const suffixes = new Set(recordNames.flatMap((record) => listSuffixes(fqdn(record, zone))));
  const delegations = new Set(
    written.flatMap(({ type, name, ordername }) =>
      type === 'DNAME' || (type === 'NS' && name !== '@') ? [ordername] : [],
    ),
  );
  return {
    ordernames: [...ordernames],
    ids,
    ancestors: [...new Set(recordNames.flatMap(listAncestorNames))],
    zoneNames: [...suffixes].filter((suffix) => suffix.length > zone.length),
    // The changes may delete all records at some names, which a refusal then does not list, so more names may be
    // needed.
    below: { ordernames: [...delegations], limit: NAMES_SHOWN + ids.length + delegations.size },
  };
}

/** The keys of the callers, and the Idempotency-Keys of the requests and of their parts. */
function collectTokens(members: readonly GroupMember[]): Pick<ZoneQuery, 'keyIds' | 'tokens'> {
  const keyIds = new Set<string>();
  const tokens = new Map<string, { keyId: string; token: string }>();
  for (const { caller, work } of members) {
    const { keyId } = caller.actor;
    keyIds.add(keyId);
    for (const { token } of [...(caller.once ? [caller.once] : []), ...work.needs.tokens])
      tokens.set(tokenKey(keyId, token), { keyId, token });
  }
  return { keyIds: [...keyIds], tokens: [...tokens.values()] };
}

function buildJudgingData(name: string, loadedZone: LoadedZone, records: LoadedRecords): Omit<JudgingData, 'budget'> {
  const cuts = loadedZone.cuts.map(neighbour);
  return {
    zone: loadedZone.zone,
    standings: loadedZone.standings,
    stored: new Map(loadedZone.records.map((row) => [row.id, row])),
    sets: loadedZone.sets,
    kept: new Map(loadedZone.kept.map((each) => [tokenKey(each.keyId, each.token), each])),
    nearby: () => nearbySteps(name, loadedZone, records, cuts),
  };
}

/** Rows between two steps. */
const STEP = 100;

function* nearbySteps(
  name: string,
  { children, below }: LoadedZone,
  { ordernames, rows }: LoadedRecords,
  cuts: readonly Neighbour[],
): Steps<NearbyRecords> {
  const nearby = new NearbyRecords(name);
  nearby.addNames(ordernames, []);
  for (let at = 0; at < rows.length; at += STEP) {
    yield;
    nearby.addNames([], rows.slice(at, at + STEP));
  }
  nearby.addCuts(cuts);
  nearby.addChildren(children);
  nearby.addBelow(below);
  return nearby;
}

/** The names whose records are all loaded, and these records. */
class LoadedRecords {
  readonly ordernames: Set<string>;
  readonly rows: Neighbour[] = [];
  readonly #links = new Map<string, string>();

  constructor(ordernames: Iterable<string>) {
    this.ordernames = new Set(ordernames);
  }

  *add(ordernames: Iterable<string>, rows: readonly RecordRow[]): Steps<void> {
    for (const ordername of ordernames) this.ordernames.add(ordername);
    for (const [at, storedRow] of rows.entries()) {
      if (at % STEP === 0) yield;
      const row = neighbour(storedRow);
      this.ordernames.add(row.ordername);
      this.rows.push(row);
      if ((row.type === 'CNAME' || row.type === 'ALIAS') && row.target !== null)
        this.#links.set(row.ordername, row.target);
    }
  }

  /** The target of the CNAME or ALIAS at a name. */
  linkAt(ordername: string): string | null {
    return this.#links.get(ordername) ?? null;
  }
}

/** Converts a stored row for the rules. @throws Error if the row cannot be parsed, because another program wrote it */
export function neighbour(row: RecordRow): Neighbour {
  const parsed = parseRdata(row.type, row.content, row.priority);
  if (!parsed.ok) throw new Error(`record ${row.id} does not parse: ${parsed.problem.message}`);
  const { wire, target } = parsed.value;
  const { id, name, ordername, type, content, priority } = row;
  return { id, name, ordername, type, content, priority, wire, target };
}

type Linking = Pick<ParsedRecord, 'type' | 'target'>;

/** Follows the alias chains within the zone, one link of all chains per round. MAX_LINKS limits the rounds. */
async function followLinks(
  on: Db | Tx,
  zone: ZoneRow,
  records: LoadedRecords,
  writtenRecords: readonly Linking[],
): Promise<void> {
  for (let round = 0; round <= MAX_LINKS; round += 1) {
    const missingNames = missingTargets(zone.name, records, writtenRecords);
    if (missingNames.length === 0) return;
    if (missingNames.length > NAMES_WITHOUT_CHECK) await mustBeBounded(on, zone.no, { ordernames: missingNames });
    await finishInTurns(records.add(missingNames, await recordsAt(on, zone.no, missingNames)));
  }
}

/** The targets of the written aliases and delegations whose records are not loaded yet, as ordernames. */
function missingTargets(zone: string, records: LoadedRecords, writtenRecords: readonly Linking[]): string[] {
  const missingNames = new Set<string>();
  const seenNames = new Set<string>();
  const ordernameOf = (name: string) => NearbyRecords.ordernameIn(zone, name);
  for (const { type, target } of writtenRecords) {
    if (type === 'NS' && target !== null) {
      const ordername = ordernameOf(target);
      if (ordername !== null && !records.ordernames.has(ordername)) missingNames.add(ordername);
    }
    let name = type === 'CNAME' || type === 'ALIAS' ? target : null;
    while (name !== null && !seenNames.has(name)) {
      seenNames.add(name);
      const ordername = ordernameOf(name);
      if (ordername === null) break;
      if (!records.ordernames.has(ordername)) missingNames.add(ordername);
      name = records.linkAt(ordername);
    }
  }
  return [...missingNames];
}
