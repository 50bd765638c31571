// Minting and checking API keys: `yk_<keyId>_<secret>` of app accounts, `yu_<keyId>_<secret>` of people. Secrets are 256 random bits, so a plain SHA-256 keeps them; only
// the hash is stored. Knows nothing of headers.
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { Db, Tx } from '../store/database.ts';
import { insertKey, insertTeam, keyById, markUsed, teamByName } from '../store/keys.ts';
import { insertGrants, type KeyTerms } from '../store/team-keys.ts';
import { type Actor, actorOf } from './actor.ts';
import { Refusal } from './refusal.ts';
import { newTeamId } from './teams.ts';

const FORM = /^(yk|yu)_([a-z0-9]{1,32})_([0-9a-f]{64})$/;
const INVALID =
  'Invalid or missing API key. Send the header "Authorization: Bearer yk_…" with a key that is still valid.';

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
// Compared with when a key does not exist, so that both ways take the same time.
const NOBODY = Buffer.alloc(32);

/** A restriction that is left out does not hold. */
export type NewKey = { teamId: string } & Pick<
  KeyTerms,
  'name' | 'records' | 'manageZones' | 'zoneWrites' | 'recordWrites'
> &
  Partial<KeyTerms> & {
    /** (Default: the clock of the database.) */
    createdAt?: Date;
  };

/** Stores a new key and gives its text, which is shown once and kept nowhere. `random` yields that many random bytes. */
export async function mintKey(
  db: Db | Tx,
  { grants = [], ...key }: NewKey,
  random: (bytes: number) => Buffer,
): Promise<{ id: string; text: string }> {
  const { id, secret } = newSecret(random);
  await insertKey(db, { id, ...key, secretHash: hashOf(secret) });
  await insertGrants(db, id, grants);
  return { id, text: `yk_${id}_${secret}` };
}

/** The same for a person, whose keys have the person's rights. */
export async function mintPersonKey(
  db: Db | Tx,
  key: { userId: string; name: string; expiresAt?: Date },
  random: (bytes: number) => Buffer,
): Promise<{ id: string; text: string }> {
  const { id, secret } = newSecret(random);
  await insertKey(db, { id, ...key, records: 'write', manageZones: 'write', secretHash: hashOf(secret) });
  return { id, text: `yu_${id}_${secret}` };
}

function newSecret(random: (bytes: number) => Buffer): { id: string; secret: string } {
  return { id: random(6).toString('hex'), secret: random(32).toString('hex') };
}

/** The team of that name, made when there is none. */
export async function ensureTeam(
  db: Db | Tx,
  name: string,
  random: (bytes: number) => Buffer,
): Promise<{ id: string }> {
  const found = await teamByName(db, name);
  if (found) return found;
  const id = newTeamId(random);
  await insertTeam(db, { id, name });
  return { id };
}

/**
 * The actor behind a key's text.
 * @param address where the request came from, checked against the key's networks
 * @param agent what sent it, in its own words; remembered with the use. (Default: nobody says.)
 * @throws Refusal unauthorized, with one sentence for every cause: it must not tell an attacker which part was wrong
 */
export async function authenticate(
  db: Db,
  text: string | null,
  address: string,
  now: Date,
  agent: string | null = null,
): Promise<Actor> {
  const parts = text === null ? null : FORM.exec(text);
  if (!parts) throw new Refusal('unauthorized', INVALID);
  const [, prefix, id = '', secret = ''] = parts;
  const key = await keyById(db, id);
  const same = timingSafeEqual(hashOf(secret), key ? Buffer.from(key.secretHash) : NOBODY);
  const rightKind = (prefix === 'yu') === (key?.userId != null);
  if (!key || !same || !rightKind || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
    throw new Refusal('unauthorized', INVALID);
  }
  if (key.networks !== null && !isWithin(address, key.networks)) throw new Refusal('unauthorized', INVALID);
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() > 60_000) await markUsed(db, id, now, agent);
  return actorOf(key);
}

function isWithin(address: string, networks: string[]): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix = ''] = network.split('/');
    const family = isIPv6(base) ? 'ipv6' : 'ipv4';
    list.addSubnet(base, prefix === '' ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  // A dual-stack socket shows IPv4 peers in their mapped form.
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}
