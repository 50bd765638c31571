// Accounts for clients of the acme-dns protocol: each is an API key that may write the TXT values of one name and nothing
// else, so rights, limits, networks, history and revocation are those of every key. Knows nothing of HTTP.
import { parseNetwork } from '../dns/network.ts';
import { insertAccountChange } from '../store/account-changes.ts';
import { keyById } from '../store/keys.ts';
import { accountHistory } from './account.ts';
import { type Actor, mustManageZones, mustWriteRecord } from './actor.ts';
import { termsView } from './app-keys.ts';
import { challengePlace, nameOf, rollChallenge } from './challenges.ts';
import { type Caller, changeZone, type House } from './change.ts';
import { NO_TERMS } from './key-terms.ts';
import { mintKey } from './keys.ts';
import { LIMITS } from './limits.ts';
import { insist, Refusal } from './refusal.ts';
import { onlyZoneOf } from './zones.ts';

/** A certificate for apex and wildcard needs two values at one name at once; acme-dns keeps as many. */
const KEPT_VALUES = 2;
/** A minute. Each certificate takes one or two. */
const RECORD_WRITES = 10;

export interface ChallengeAccount {
  keyId: string;
  /** `yk_…`, shown this once. */
  secret: string;
  /** The first label of `fulldomain`. */
  subdomain: string;
  /** What a CNAME at `_acme-challenge.<domain>` has to point to. */
  fulldomain: string;
  networks: string[];
}

export interface ChallengeAccountInput {
  /** A zone, or a name in one, below which the account gets its name. Null: the only zone that the key sees. */
  parent: string | null;
  /** In CIDR form; none: from anywhere that the registering key may be used from. */
  networks: string[];
}

/**
 * Mints a key for a fresh name below `parent`. For keys that manage zones, as a new credential outlives the request.
 * @throws Refusal forbidden, bad_request, not_found, busy
 */
export async function registerChallengeAccount(
  house: House,
  caller: Caller,
  input: ChallengeAccountInput,
): Promise<ChallengeAccount> {
  const { actor } = caller;
  if (caller.once) {
    throw new Refusal(
      'bad_request',
      'Idempotency-Key: an account cannot be registered with one, because its answer would have to be kept with the secret. Leave it out.',
    );
  }
  mustManageZones(actor);
  const parent = input.parent ?? (await onlyZoneOf(house, actor)).zoneName;
  const subdomain = newSubdomain(house.random(16));
  const place = await challengePlace(house, actor, `${subdomain}.${parent}`);
  mustWriteRecord(actor, place.zone.id, { name: place.name, type: 'TXT' });
  const networks = await judgeNetworks(house, actor, input.networks);
  return changeZone(house, caller, place.zone.id, async (tx, zone) => {
    const { teamId } = zone;
    if (teamId === null) {
      throw new Refusal(
        'forbidden',
        "Accounts can be registered in the zones of teams only, and this one is a person's.",
      );
    }
    const terms = {
      ...NO_TERMS,
      name: `acme-dns ${subdomain}`,
      grants: [{ zoneId: zone.id, records: 'write' as const }],
      onlyNames: [place.name],
      onlyTypes: ['TXT'],
      networks,
      recordWrites: Math.min(RECORD_WRITES, actor.recordWrites ?? LIMITS.records),
      // A key must not outlive the one that made it by being made of it.
      expiresAt: actor.expiresAt,
    };
    const now = house.now();
    const { id, text } = await mintKey(tx, { teamId, ...terms, createdAt: now }, house.random);
    await insertAccountChange(tx, {
      action: 'key.mint',
      subject: id,
      before: null,
      after: termsView(terms),
      ...accountHistory(caller, teamId, now),
    });
    const account = { keyId: id, secret: text, subdomain, fulldomain: nameOf(place), networks: networks ?? [] };
    return { answer: () => account, change: null };
  });
}

/** In the form of a UUID of version 4, as acme-dns gives it and clients expect (RFC 9562 5.4). */
function newSubdomain(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A key that is held to networks hands its own on. @throws Refusal bad_request */
async function judgeNetworks(house: House, actor: Actor, wanted: string[]): Promise<string[] | null> {
  const own = (await keyById(house.db, actor.keyId))?.networks ?? null;
  if (own === null)
    return wanted.length === 0 ? null : wanted.map((text, at) => insist(parseNetwork(text, `allowfrom.${at}`)));
  if (wanted.length === 0) return own;
  throw new Refusal(
    'bad_request',
    'allowfrom: this key is held to networks of its own, and so is the account; leave it out.',
  );
}

/**
 * Puts a value at the account's name; its two newest stay.
 * @throws Refusal forbidden (another account's name), no_zone, busy
 */
export async function updateChallengeAccount(
  house: House,
  caller: Caller,
  subdomain: string,
  value: string,
): Promise<void> {
  const { grants, onlyNames } = caller.actor;
  const [zoneId, ...more] = [...grants].flatMap(([id, level]) => (level === 'write' ? id : []));
  const name = onlyNames?.find((each) => each === subdomain || each.startsWith(`${subdomain}.`));
  if (zoneId === undefined || more.length > 0 || name === undefined || name.includes('*')) {
    throw new Refusal('forbidden', 'subdomain: it is not the one that this account was registered with.');
  }
  await rollChallenge(house, caller, zoneId, { name, value, keep: KEPT_VALUES });
}
