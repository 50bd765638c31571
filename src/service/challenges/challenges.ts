// ACME challenge values (TXT) for the protocols of other clients, which name a value by owner name and content, without a record
// id. All changes use the ordinary operations on records, with their rights, rules and history.
import { fqdn, orderName, parseLookupName, suffixesOf } from '#dns/names/name.ts';
import { challengeValues } from '#store/challenge-values.ts';
import { recordsAt } from '#store/records.ts';
import { type ZoneRow, zoneById, zonesNamed } from '#store/zones.ts';
import { type Actor, maySee, mustWriteRecord } from '../accounts/actor.ts';
import { noZone } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readRecords } from '../records/records.ts';
import { applyBatch, createRecord, removeRecord } from '../records/writer.ts';
import { insist, Refusal, refusal } from '../refusal.ts';

/** In seconds. It is short because a CA queries a value once, and each order has another value. */
const CHALLENGE_TTL = 60;
/** The number of CNAMEs that resolvers usually follow. */
const MAX_LINKS = 16;

export interface Place {
  zone: ZoneRow;
  /** Relative to the zone. */
  name: string;
}

/**
 * The place of a challenge for `name`: this name, or the target of its CNAMEs in the zones of this account, because a CA follows
 * CNAMEs (RFC 8555 section 8.4). A key that is restricted to some names follows the CNAMEs at these names only, because it must
 * not learn which records exist at other names.
 * @throws Refusal bad_request, not_found (no zone of this key encloses it), forbidden
 */
export async function challengePlace(context: ServiceContext, actor: Actor, name: string): Promise<Place> {
  const first = insist(parseLookupName(name));
  let at = first;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const place = await placeOf(context, actor, at);
    if (!place) {
      if (at === first) throw refusal('no-enclosing-zone', { name: at });
      // A key that is restricted to other types does not see CNAMEs in lists, so this message does not reveal one either.
      const target = actor.onlyTypes === null || actor.onlyTypes.includes('CNAME') ? at : 'another name';
      throw refusal('cname-leaves-account', { name: first, target });
    }
    mustWriteRecord(actor, place.zone.id, { name: place.name, type: 'TXT' });
    const cname = (await recordsAt(context.db, place.zone.no, [orderName(place.name)])).find(
      ({ type }) => type === 'CNAME',
    );
    if (!cname) return place;
    at = cname.rdata.replace(/\.$/, '');
  }
  throw refusal('cname-circle', { name: first, limit: MAX_LINKS });
}

/** The place of a name in the longest enclosing zone that the key may see. */
async function placeOf(context: ServiceContext, actor: Actor, name: string): Promise<Place | null> {
  const suffixes = suffixesOf(name).filter((suffix) => suffix.includes('.'));
  const zone = (await zonesNamed(context.db, suffixes)).find((row) => maySee(actor, row));
  return zone ? { zone, name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1) } : null;
}

/**
 * Adds one value to the existing ones. A value that exists already is not an error.
 * @returns the id of its zone @throws as createRecord, challengePlace
 */
export async function addChallenge(
  context: ServiceContext,
  caller: Caller,
  name: string,
  value: string,
): Promise<string> {
  const { zone, name: owner } = await challengePlace(context, caller.actor, name);
  const input = { name: owner, type: 'TXT', content: value, ttl: CHALLENGE_TTL };
  try {
    await createRecord(context, caller, zone.id, input);
  } catch (error) {
    const conflict = error instanceof Refusal && error.code === 'conflict';
    if (!conflict || (await recordsOf(context, caller, { zone, name: owner }, value)).length === 0) throw error;
  }
  return zone.id;
}

/** Removes this value only. A value that does not exist is not an error. @throws as removeRecord, challengePlace */
export async function removeChallenge(
  context: ServiceContext,
  caller: Caller,
  name: string,
  value: string,
): Promise<void> {
  const place = await challengePlace(context, caller.actor, name);
  for (const { id } of await recordsOf(context, caller, place, value)) {
    try {
      await removeRecord(context, caller, place.zone.id, id);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
  }
}

async function recordsOf(context: ServiceContext, { actor }: Caller, { zone, name }: Place, content: string) {
  return (await readRecords(context, actor, zone.id, { name, type: 'TXT', content, limit: 2 })).records;
}

/**
 * Adds one value and keeps the newest `keep` values at this name, for protocols whose clients do not remove values. Two such
 * changes at the same time may leave one value more, never one less.
 * @throws as applyBatch; Refusal of the new value
 */
export async function rollChallenge(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  { name, value, keep }: { name: string; value: string; keep: number },
): Promise<void> {
  const zone = await zoneById(context.db, zoneId);
  if (!zone || !maySee(caller.actor, zone)) throw noZone();
  const stored = await challengeValues(context.db, zone.no, orderName(name));
  const others = stored.filter(({ content }) => content !== value);
  const record = { name, type: 'TXT', content: value, ttl: CHALLENGE_TTL };
  const outdated = others.slice(0, Math.max(0, others.length - keep + 1));
  const [created] = await applyBatch(context, caller, zoneId, {
    atomic: false,
    changes: [{ action: 'create', record }, ...outdated.map(({ id }) => ({ action: 'delete', id }) as const)],
  });
  if (!created || created.ok) return;
  const there = (await challengeValues(context.db, zone.no, orderName(name))).some(({ content }) => content === value);
  if (!there) throw new Refusal(created.refusal);
}

/** The absolute name of a place, without the final dot. */
export function nameOf({ zone, name }: Place): string {
  return fqdn(name, zone.name);
}
