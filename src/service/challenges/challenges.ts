// ACME challenge values (TXT) for the protocols of other clients, which name a value by owner name and content, without
// a record id. Each value is a set of records:apply with an owner of its own, shared, and with a lease.
import { orderName } from '#dns/names/name.ts';
import { ownersAt } from '#store/challenge-values.ts';
import { zoneById } from '#store/zones.ts';
import { maySee } from '../accounts/actor.ts';
import { noZone } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { applySets } from '../owners/apply.ts';
import type { SetInput } from '../owners/set.ts';
import { Refusal, type RuleId } from '../refusal.ts';
import { ACME_DNS_LEASE_MS, buildChallengeOwner, buildWriterPrefix, HTTPREQ_LEASE_MS } from './owner.ts';
import { findChallengeTarget } from './target.ts';

/** In seconds. It is short because a CA queries a value once, and each order has another value. */
const CHALLENGE_TTL = 60;

/** The rules that refuse a value because it exists already, and others keep it. For a CA that is as good. */
const IS_THERE: ReadonlySet<RuleId> = new Set<RuleId>([
  'value-unowned',
  'value-owned',
  'owner-keeps-value',
  'too-many-owners',
]);

/**
 * Adds one value to the existing ones for an hour, or renews it. A value that others have already is not an error.
 * @returns the id of its zone
 * @throws as applySets, findChallengeTarget
 */
export async function addChallenge(
  context: ServiceContext,
  caller: Caller,
  name: string,
  value: string,
): Promise<string> {
  const { zone, name: at } = await findChallengeTarget(context, caller.actor, name);
  const owner = buildChallengeOwner('httpreq', caller.actor.keyId, value);
  await apply(context, caller, zone.id, [leased(context, owner, at, value, HTTPREQ_LEASE_MS)]);
  return zone.id;
}

/**
 * Removes a value that the same key has added. It stays if others own it too. A value that does not exist is not an
 * error.
 * @throws as applySets, findChallengeTarget
 */
export async function removeChallenge(
  context: ServiceContext,
  caller: Caller,
  name: string,
  value: string,
): Promise<void> {
  const { zone, name: at } = await findChallengeTarget(context, caller.actor, name);
  await apply(context, caller, zone.id, [released(buildChallengeOwner('httpreq', caller.actor.keyId, value), at)]);
}

/**
 * Adds one value for 12 hours and keeps the newest `keep` values of this key at this name, for acme-dns, whose clients
 * do not remove values. Two such changes at the same time may leave one value more, never one less.
 * @throws as applySets
 */
export async function rollChallenge(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  { name, value, keep }: { name: string; value: string; keep: number },
): Promise<void> {
  const { actor } = caller;
  const zone = await zoneById(context.db, zoneId);
  if (!zone || !maySee(actor, zone)) throw noZone();
  const owner = buildChallengeOwner('acme-dns', actor.keyId, value);
  const target = { zoneNo: zone.no, ordername: orderName(name), type: 'TXT' };
  const others = await ownersAt(context.db, target, buildWriterPrefix('acme-dns', actor.keyId));
  const outdatedOwners = others.filter((each) => each !== owner).slice(keep - 1);
  await apply(context, caller, zoneId, [
    // They go first, so that the new value fits into a quota that is used up.
    ...outdatedOwners.map((each) => released(each, name)),
    leased(context, owner, name, value, ACME_DNS_LEASE_MS),
  ]);
}

function leased(context: ServiceContext, owner: string, name: string, value: string, leaseMs: number): SetInput {
  const expires = new Date(context.now().getTime() + leaseMs).toISOString();
  return { owner, name, type: 'TXT', ttl: CHALLENGE_TTL, values: [{ content: value }], share: true, expires };
}

function released(owner: string, name: string): SetInput {
  return { owner, name, type: 'TXT', values: [] };
}

/** Applies all sets or none. @throws Refusal with the fields of one value, because the client sent no sets */
async function apply(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  sets: readonly SetInput[],
): Promise<void> {
  try {
    // The request was counted in the write window when it arrived.
    await applySets(context, caller, zoneId, { atomic: true, sets }, null);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (IS_THERE.has(error.rule)) return;
    throw withoutPath(error);
  }
}

function withoutPath(refused: Refusal): Refusal {
  const field = refused.field?.replace(/^sets\.\d+\.?(values\.0\.)?/, '') || null;
  return new Refusal({ ...refused.toData(), field, others: refused.others.map(withoutPath) });
}
