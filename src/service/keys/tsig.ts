// TSIG keys: a second way to prove that a request comes from the holder of an app key, for messages of the DNS protocol
// (RFC 8945). The rights, the limits, the networks and the end are those of the app key.
import {
  keyIdOfTsigName,
  type TsigKeyAlgorithm,
  type TsigKeyText,
  tsigAlgorithm,
  tsigKeyFile,
  tsigNameOf,
} from '#dns/tsig/key.ts';
import type { Db, Tx } from '#store/database.ts';
import { markUsed } from '#store/keys.ts';
import { insertTsigKey } from '#store/tsig-keys.ts';
import { type Actor, toActor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { lookUpKey } from './look-up.ts';
import { lookUpTsigKey } from './look-up-tsig.ts';
import { mayBeUsed } from './standing.ts';

/** A new TSIG key, which is shown once. */
export interface MintedTsigKey extends TsigKeyText {
  /** The key as a file for nsupdate and BIND. */
  keyFile: string;
}

/** Stores a TSIG key for an app key. @throws as insertTsigKey */
export async function mintTsigKey(
  db: Db | Tx,
  keyId: string,
  algorithm: TsigKeyAlgorithm,
  random: (bytes: number) => Buffer,
): Promise<MintedTsigKey> {
  const secret = random(tsigAlgorithm(algorithm).octets).toString('base64');
  const key = { name: tsigNameOf(keyId), algorithm, secret };
  await insertTsigKey(db, { ...key, keyId });
  return { ...key, keyFile: tsigKeyFile(key) };
}

/** A key that a message may be signed with. */
export interface FoundTsigKey {
  /** A domain name in lower case without final dot. */
  name: string;
  algorithm: TsigKeyAlgorithm;
  secret: Buffer;
  /** The holder, as a request of the REST API with the app key has it. */
  actor: Actor;
  /**
   * Notes the last use of the app key, at most once a minute. To be called only after the MAC of the message was
   * verified.
   * @param agent the name of the client in the list of keys
   */
  used(agent: string): Promise<void>;
}

/**
 * The key with this name, for a message from this address. The caller still has to verify the MAC.
 * @param name a domain name without final dot, in any case
 * @returns null if no key has this name, or it is revoked, has expired or may not be used from the address. The client
 * gets BADKEY in each case, so it does not learn which
 */
export async function findTsigKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  name: string,
  address: string,
): Promise<FoundTsigKey | null> {
  const canonical = name.toLowerCase();
  const keyId = keyIdOfTsigName(canonical);
  if (keyId === null) return null;
  // One after the other: a name without a key must not cost the look-up that the requests of all others share.
  const tsig = await lookUpTsigKey(db, canonical);
  if (tsig === null) return null;
  const key = await lookUpKey(db, keyId);
  const moment = now();
  if (key === null || tsig.keyId !== key.id || !mayBeUsed(key, address, moment)) return null;
  return {
    name: canonical,
    algorithm: tsig.algorithm,
    secret: Buffer.from(tsig.secret, 'base64'),
    actor: toActor(key),
    used: async (agent) => {
      if (key.lastUsedAt === null || moment.getTime() - key.lastUsedAt.getTime() > 60_000)
        await markUsed(db, key.id, moment, agent);
    },
  };
}
