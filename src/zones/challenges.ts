// ACME challenge values (TXT) as the façades for other clients' protocols write them: by name and value, without record
// ids. Each is one of this room's ordinary operations, with its rights, rules and history. Knows no protocol.
import { fqdn, orderName, parseLookupName, suffixesOf } from '../dns/name.ts';
import { challengeValues } from '../store/challenge-values.ts';
import { listRecords } from '../store/records.ts';
import { type ZoneRow, zoneById, zonesNamed } from '../store/zones.ts';
import { type Actor, maySee, mustWriteRecords } from './actor.ts';
import { applyBatch } from './batch.ts';
import { type Caller, type House, noZone } from './change.ts';
import { createRecord, readRecords, removeRecord } from './records.ts';
import { insist, Refusal } from './refusal.ts';

/** Seconds: a CA asks once, and the next order brings another value. */
const CHALLENGE_TTL = 60;
/** As many as resolvers follow. */
const MAX_LINKS = 16;

export interface Place {
  zone: ZoneRow;
  /** Relative to the zone. */
  name: string;
}

/**
 * Where a challenge for `name` has to stand: there, or where its CNAMEs in the zones of this account lead, because that
 * is where a CA looks (RFC 8555 8.4).
 * @throws Refusal bad_request, not_found (no zone of this key encloses it), forbidden
 */
export async function challengePlace(house: House, actor: Actor, name: string): Promise<Place> {
  const first = insist(parseLookupName(name));
  let at = first;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const place = await placeOf(house, actor, at);
    if (!place) {
      const alias = at === first ? '' : `, to which the CNAME at ${first} leads`;
      throw new Refusal('not_found', `No zone of this account encloses ${at}${alias}.`);
    }
    mustWriteRecords(actor, place.zone.id);
    const [cname] = await listRecords(house.db, place.zone.id, { ordername: orderName(place.name), type: 'CNAME' });
    if (!cname) return place;
    at = cname.rdata.replace(/\.$/, '');
  }
  throw new Refusal('bad_request', `The CNAMEs at ${first} lead in a circle, or through more than ${MAX_LINKS} names.`);
}

/** The name in the longest zone that encloses it, among those that the key may see. */
async function placeOf(house: House, actor: Actor, name: string): Promise<Place | null> {
  const suffixes = suffixesOf(name).filter((suffix) => suffix.includes('.'));
  const zone = (await zonesNamed(house.db, suffixes)).find((row) => maySee(actor, row));
  return zone ? { zone, name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1) } : null;
}

/** Adds one value beside those that are there; one that is there already is fine. @throws as createRecord, challengePlace */
export async function addChallenge(house: House, caller: Caller, name: string, value: string): Promise<void> {
  const { zone, name: owner } = await challengePlace(house, caller.actor, name);
  const input = { name: owner, type: 'TXT', content: value, ttl: CHALLENGE_TTL };
  try {
    await createRecord(house, caller, zone.id, input);
  } catch (error) {
    const conflict = error instanceof Refusal && error.code === 'conflict';
    if (!conflict || (await recordsOf(house, caller, { zone, name: owner }, value)).length === 0) throw error;
  }
}

/** Removes that value and no other; one that is not there is fine. @throws as removeRecord, challengePlace */
export async function removeChallenge(house: House, caller: Caller, name: string, value: string): Promise<void> {
  const place = await challengePlace(house, caller.actor, name);
  for (const { id } of await recordsOf(house, caller, place, value)) {
    try {
      await removeRecord(house, caller, place.zone.id, id);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
  }
}

async function recordsOf(house: House, { actor }: Caller, { zone, name }: Place, content: string) {
  return (await readRecords(house, actor, zone.id, { name, type: 'TXT', content, limit: 2 })).records;
}

/**
 * Adds one value and keeps the newest `keep` at that name, as protocols without a clean-up do. Two such changes at once
 * may leave one value more, never one less.
 * @throws as applyBatch, and what refuses the new value
 */
export async function rollChallenge(
  house: House,
  caller: Caller,
  zoneId: string,
  { name, value, keep }: { name: string; value: string; keep: number },
): Promise<void> {
  const zone = await zoneById(house.db, zoneId);
  if (!zone || !maySee(caller.actor, zone)) throw noZone();
  const stored = await challengeValues(house.db, zone.no, orderName(name));
  const others = stored.filter(({ content }) => content !== value);
  const record = { name, type: 'TXT', content: value, ttl: CHALLENGE_TTL };
  const outdated = others.slice(0, Math.max(0, others.length - keep + 1));
  const [created] = await applyBatch(house, caller, zoneId, {
    atomic: false,
    changes: [{ action: 'create', record }, ...outdated.map(({ id }) => ({ action: 'delete', id }) as const)],
  });
  if (!created || created.ok) return;
  const there = (await challengeValues(house.db, zone.no, orderName(name))).some(({ content }) => content === value);
  if (!there) throw new Refusal(created.code, created.message);
}

/** The absolute name of a place, without final dot. */
export function nameOf({ zone, name }: Place): string {
  return fqdn(name, zone.name);
}
