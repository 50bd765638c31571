// Accounts for clients of the acme-dns protocol. Each account is an API key that may only write the TXT values of one
// name, so its rights, limits, networks, history and revocation work like those of every key.
import { BUCKETS } from '#base/buckets.ts';
import { parseNetwork } from '#dns/network.ts';
import { keyById } from '#store/keys.ts';
import { type Actor, mustManageZones, mustWriteRecord } from '../accounts/actor.ts';
import { changeLocked } from '../change/locked.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { callerAsAuthor } from '../credentials/author.ts';
import { createKey } from '../credentials/keys.ts';
import { NO_TERMS } from '../keys/terms.ts';
import { insist, refusal } from '../refusal.ts';
import { requireOnlyZone } from '../zones/zones.ts';
import { rollChallenge } from './challenges.ts';
import { findChallengeTarget, nameOf } from './target.ts';

/**
 * A certificate for the apex and the wildcard needs two values at one name at the same time; acme-dns also keeps two.
 */
const KEPT_VALUES = 2;
/** Record writes per minute. Each certificate needs one or two. */
const RECORD_WRITES = 10;

export interface ChallengeAccount {
  keyId: string;
  /** The text of the key (`yk_…`), which only this answer contains. */
  secret: string;
  /** The first label of `fulldomain`. */
  subdomain: string;
  /** The target for a CNAME at `_acme-challenge.<domain>`. */
  fulldomain: string;
  networks: string[];
}

interface ChallengeAccountInput {
  /** A zone, or a name in a zone; the name of the account is below it. Null: the only zone that the key sees. */
  parent: string | null;
  /** In CIDR form. Empty: the networks of the key that registers the account. */
  networks: string[];
}

/**
 * Creates a key for a new name below `parent`. The caller's key must manage zones, because a new credential outlives
 * the request.
 * @throws Refusal forbidden (rights, quota), bad_request, not_found, busy
 */
export async function registerChallengeAccount(
  context: ServiceContext,
  caller: Caller,
  input: ChallengeAccountInput,
): Promise<ChallengeAccount> {
  const { actor } = caller;
  if (caller.once) {
    throw refusal('challenge-account-once');
  }
  if (actor.trust !== undefined) throw refusal('token-registers-account');
  mustManageZones(actor);
  const parent = input.parent ?? (await requireOnlyZone(context, actor)).zoneName;
  const subdomain = newSubdomain(context.random(16));
  const target = await findChallengeTarget(context, actor, `${subdomain}.${parent}`);
  mustWriteRecord(actor, target.zone.id, { name: target.name, type: 'TXT' });
  const networks = await judgeNetworks(context, actor, input.networks);
  return changeLocked(context, caller, target.zone.id, async (tx, zone) => {
    const { teamId } = zone;
    if (teamId === null) {
      throw refusal('challenge-account-person');
    }
    const terms = {
      ...NO_TERMS,
      name: `acme-dns ${subdomain}`,
      grants: [{ zoneId: zone.id, records: 'write' as const }],
      onlyNames: [target.name],
      onlyTypes: ['TXT'],
      networks,
      recordWrites: Math.min(RECORD_WRITES, actor.recordWrites ?? BUCKETS.records.limit),
      // Otherwise a key could extend its own lifetime by registering an account.
      expiresAt: actor.expiresAt,
    };
    const now = context.now();
    const author = callerAsAuthor(caller, null);
    const work = { tx, team: { id: teamId, name: '' }, author, now, random: context.random, quotas: context };
    const { id, text } = await createKey(work, terms);
    const account = { keyId: id, secret: text, subdomain, fulldomain: nameOf(target), networks: networks ?? [] };
    return { answer: () => account };
  });
}

/** A UUID of version 4 (RFC 9562 5.4), because acme-dns uses this form and clients expect it. */
function newSubdomain(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * The networks of a new account. The account of a key that is restricted to networks gets the same networks.
 * @throws Refusal bad_request
 */
async function judgeNetworks(
  context: ServiceContext,
  actor: Actor,
  wantedNetworks: string[],
): Promise<string[] | null> {
  const keyNetworks = (await keyById(context.db, actor.keyId))?.networks ?? null;
  if (keyNetworks === null)
    return wantedNetworks.length === 0
      ? null
      : wantedNetworks.map((text, at) => insist(parseNetwork(text, `allowfrom.${at}`)));
  if (wantedNetworks.length === 0) return keyNetworks;
  throw refusal('challenge-account-networks');
}

/**
 * Adds a value at the account's name and keeps the two newest values.
 * @returns the id of its zone
 * @throws Refusal forbidden (another account's name), no_zone, busy
 */
export async function updateChallengeAccount(
  context: ServiceContext,
  caller: Caller,
  subdomain: string,
  value: string,
): Promise<string> {
  const { grants, onlyNames } = caller.actor;
  const [zoneId, ...more] = [...grants].flatMap(([id, level]) => (level === 'write' ? id : []));
  const name = onlyNames?.find((each) => each === subdomain || each.startsWith(`${subdomain}.`));
  if (zoneId === undefined || more.length > 0 || name === undefined || name.includes('*')) {
    throw refusal('challenge-account-subdomain');
  }
  await rollChallenge(context, caller, zoneId, { name, value, keep: KEPT_VALUES });
  return zoneId;
}
