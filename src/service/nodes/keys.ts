// Node keys: `yn_<keyId>_<secret>`. A node key reads the feed with the private keys of all zones, and reports. It
// belongs to no team or person and has no other right. As with other keys, the database stores a hash of the secret
// alone.
import { createHash, timingSafeEqual } from 'node:crypto';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Db, Tx } from '#store/database.ts';
import {
  expireNodeKeyRow,
  insertNodeKey,
  markNodeKeyUsed,
  nodeKeyById,
  revokeNodeKeyRow,
  validNodeKeys,
} from '#store/node-keys.ts';
import type { ServiceContext } from '../context.ts';
import { isWithinNetworks } from '../keys/networks.ts';
import { refusal } from '../refusal.ts';

const FORM = /^yn_([a-z0-9]{1,32})_([0-9a-f]{64})$/;

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
/** Used if a key does not exist, so that both cases take the same time. */
const NO_HASH = Buffer.alloc(32);

export interface NodeActor {
  keyId: string;
  /** The name of the key: that of its node, unless several nodes share the key. */
  name: string;
}

/** Whether the text has the form of a node key, valid or not. */
export function isNodeKey(text: string | null): text is string {
  return text !== null && FORM.test(text);
}

/** The text of a new key, which is not registered yet. */
export function newNodeKeyText(random: (bytes: number) => Buffer): string {
  return `yn_${random(6).toString('hex')}_${random(32).toString('hex')}`;
}

/** The id in the text of a node key; undefined for any other text. */
export function parseNodeKeyId(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/**
 * The node of the key with this text.
 * @param address the address of the client; it must be in the key's networks
 * @throws Refusal unauthorized, with the same message for every cause
 */
export async function authenticateNode(
  context: Pick<ServiceContext, 'db' | 'now'>,
  text: string,
  address: string,
  agent: string | null,
): Promise<NodeActor> {
  const [, id = '', secret = ''] = FORM.exec(text) ?? [];
  const { db } = context;
  const now = context.now();
  const key = id === '' ? null : await nodeKeyById(db, id);
  const isSame = timingSafeEqual(hashOf(secret), key ? Buffer.from(key.secretHash) : NO_HASH);
  if (!key || !isSame || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
    throw refusal('invalid-key');
  }
  if (key.networks !== null && !isWithinNetworks(address, key.networks)) throw refusal('invalid-key');
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() > 60_000) {
    await markNodeKeyUsed(db, id, now, agent);
  }
  return { keyId: id, name: key.name };
}

/** Which of these keys are neither revoked nor expired. */
export async function keysStillValid(
  context: Pick<ServiceContext, 'db' | 'now'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(await validNodeKeys(context.db, ids, context.now()));
}

interface NewNodeKey {
  name: string;
  networks?: string[] | null;
  expiresAt?: Date | null;
}

type Author = { requestId: string };

/** Stores the key with this text. @throws Error if the text is not a node key */
export async function registerNodeKey(
  tx: Db | Tx,
  text: string,
  { name, networks = null, expiresAt = null }: NewNodeKey,
  { requestId }: Author,
  now: Date,
): Promise<string> {
  const [, id, secret] = FORM.exec(text) ?? [];
  if (id === undefined || secret === undefined) throw new Error('the text is not a node key');
  await insertNodeKey(tx, { id, name, networks, expiresAt, secretHash: hashOf(secret) });
  const after = { node: name, networks, expiresAt: expiresAt?.toISOString() ?? null };
  const entry = { teamId: null, keyId: null, action: 'key.mint', subject: id, before: null, after } as const;
  await insertAccountChange(tx, { ...entry, requestId, at: now });
  return id;
}

/** Revokes the key permanently. Repeated calls have no further effect. @returns false if there is no such key */
export async function revokeNodeKey(tx: Tx, id: string, { requestId }: Author, now: Date): Promise<boolean> {
  const key = await nodeKeyById(tx, id);
  if (key === null) return false;
  if (!(await revokeNodeKeyRow(tx, id, now))) return true;
  const entry = { teamId: null, keyId: null, action: 'key.revoke', subject: id, after: null } as const;
  await insertAccountChange(tx, { ...entry, before: { node: key.name }, requestId, at: now });
  return true;
}

export type NodeKeyState =
  | { state: 'known' | 'registered'; keyId: string }
  /**
   * The text can never become valid: it is revoked, expired or malformed, or another key has its id. Make a new text.
   */
  | { state: 'unusable'; why: string };

/** Registers a key whose text the installation made, unless it is registered. Can be repeated. */
export async function ensureNodeKey(
  tx: Tx,
  { text, ...key }: NewNodeKey & { text: string },
  author: Author,
  now: Date,
): Promise<NodeKeyState> {
  const [, id = '', secret = ''] = FORM.exec(text) ?? [];
  if (id === '') return { state: 'unusable', why: 'it is not a node key' };
  const registeredKey = await nodeKeyById(tx, id);
  if (registeredKey === null) return { state: 'registered', keyId: await registerNodeKey(tx, text, key, author, now) };
  if (!timingSafeEqual(hashOf(secret), Buffer.from(registeredKey.secretHash))) {
    return { state: 'unusable', why: 'another key has its id' };
  }
  if (registeredKey.revokedAt !== null) return { state: 'unusable', why: 'it is revoked' };
  if (registeredKey.expiresAt !== null && registeredKey.expiresAt <= now)
    return { state: 'unusable', why: 'it has expired' };
  return { state: 'known', keyId: id };
}

/** Lets a replaced key expire at `end`, so that nodes that still use it have time to load the new one. */
export async function expireNodeKey(tx: Tx, id: string, end: Date, { requestId }: Author, now: Date): Promise<void> {
  if (!(await expireNodeKeyRow(tx, id, end))) return;
  const entry = { teamId: null, keyId: null, action: 'key.change', subject: id, before: null } as const;
  await insertAccountChange(tx, { ...entry, after: { expiresAt: end }, requestId, at: now });
}
