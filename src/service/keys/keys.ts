// Creates and checks API keys: `yk_<keyId>_<secret>` of app accounts, `yu_<keyId>_<secret>` of people. The database
// stores only a hash of the secret. A plain SHA-256 is enough, because a secret has 256 random bits.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import type { Db, Tx } from '#store/database.ts';
import { insertKey, insertTeam, type KeyTerms, markUsed, teamByName } from '#store/keys.ts';
import { insertGrants } from '#store/team-keys.ts';
import { type Actor, toActor } from '../accounts/actor.ts';
import { newTeamId } from '../accounts/teams.ts';
import type { ServiceContext } from '../context.ts';
import { authenticateNode, isNodeKey } from '../nodes/keys.ts';
import { refusal } from '../refusal.ts';
import { authenticateToken, isToken } from '../trusts/authenticate.ts';
import { lookUpKey } from './look-up.ts';
import { mayBeUsed } from './standing.ts';
import { type MintedTsigKey, mintTsigKey } from './tsig.ts';

const FORM = /^(yk|yu)_([a-z0-9]{1,32})_([0-9a-f]{64})$/;

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
// The comparison uses this hash if a key does not exist, so that both cases take the same time.
const NO_HASH = Buffer.alloc(32);

/** An omitted restriction does not apply. */
type NewKey = { teamId: string } & Pick<KeyTerms, 'name' | 'records' | 'manageZones' | 'zoneWrites' | 'recordWrites'> &
  Partial<KeyTerms> & {
    /** The id of the person who creates the key. Absent: the command line or the installation creates it. */
    createdBy?: string;
    /** (Default: the clock of the database.) */
    createdAt?: Date;
    /** The algorithm of its TSIG key. */
    tsig?: TsigKeyAlgorithm | undefined;
  };

/**
 * Stores a new key and returns its text, which is stored nowhere. `random` returns the given number of random bytes.
 */
export async function mintKey(
  db: Db | Tx,
  { grants = [], tsig, ...key }: NewKey,
  random: (bytes: number) => Buffer,
): Promise<{ id: string; text: string; tsig: MintedTsigKey | null }> {
  const { id, secret } = newSecret(random);
  await insertKey(db, { id, ...key, secretHash: hashOf(secret) });
  await insertGrants(db, id, grants);
  const second = tsig === undefined ? null : await mintTsigKey(db, id, tsig, random);
  return { id, text: `yk_${id}_${secret}`, tsig: second };
}

/** Like mintKey, for a key of a person. It has all rights of the person. */
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

/** The team with this name. It is created if it does not exist. */
export async function ensureTeam(
  db: Db | Tx,
  name: string,
  random: (bytes: number) => Buffer,
): Promise<{ id: string }> {
  const existingTeam = await teamByName(db, name);
  if (existingTeam) return existingTeam;
  const id = newTeamId(random);
  await insertTeam(db, { id, name });
  return { id };
}

/**
 * The actor of the key, or of the JSON Web Token, with this text.
 * @param address the address of the client; it must be in the key's networks
 * @param agent the User-Agent of the client, stored with the last use of the key. Absent: unknown.
 * @throws Refusal unauthorized, with the same message for every cause, so that an attacker does not learn which part
 * was wrong; forbidden for a valid node key, which has no rights outside of the feed; for a token, as authenticateToken
 */
export async function authenticate(
  context: Pick<ServiceContext, 'db' | 'now' | 'random' | 'tokens'>,
  text: string | null,
  address: string,
  agent: string | null = null,
): Promise<Actor> {
  if (isNodeKey(text)) {
    await authenticateNode(context, text, address, agent);
    throw refusal('node-key');
  }
  const parts = text === null ? null : FORM.exec(text);
  if (!parts) {
    if (isToken(text)) return authenticateToken(context, text, address, agent);
    throw refusal('invalid-key');
  }
  const { db } = context;
  const now = context.now();
  const [, prefix, id = '', secret = ''] = parts;
  const key = await lookUpKey(db, id);
  const same = timingSafeEqual(hashOf(secret), key ? Buffer.from(key.secretHash) : NO_HASH);
  const rightKind = (prefix === 'yu') === (key?.userId != null);
  if (!key || !same || !rightKind || !mayBeUsed(key, address, now)) throw refusal('invalid-key');
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() > 60_000) await markUsed(db, id, now, agent);
  return toActor(key);
}
