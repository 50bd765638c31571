// The administrator's commands about name servers. They use the database directly and need no key.
import { NODE_NAME } from '#base/part-names.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db } from '#store/database.ts';
import { acceptRemovals, allNodes, forgetNode, type NodeRow, setComparison } from '#store/nodes.ts';
import { COMMAND_LINE } from '../administrator.ts';
import { judgeTerms, NO_TERMS } from '../keys/terms.ts';
import { insist } from '../refusal.ts';
import { ensureNodeKey, newNodeKeyText, registerNodeKey } from './keys.ts';

type Random = (bytes: number) => Buffer;

/**
 * Creates a key for the node with this name.
 * @throws Error if the name is not that of a node; Refusal bad_request (networks, expiry)
 */
export async function adminMintNodeKey(
  url: string,
  name: string,
  terms: { networks?: string[] | undefined; expiresAt?: string | undefined },
  random: Random,
  now: Date,
): Promise<{ keyId: string; text: string }> {
  if (!NODE_NAME.test(name)) {
    throw new Error(
      `"${name}" is not the name of a node; use lower-case letters, digits, hyphens and dots, as in ns1-eu`,
    );
  }
  const { networks, expiresAt } = insist(judgeTerms(NO_TERMS, terms, { now, anyLimits: true }));
  const text = newNodeKeyText(random);
  const keyId = await withDatabase(url, (db) =>
    db.transaction((tx) => registerNodeKey(tx, text, { name, networks, expiresAt }, COMMAND_LINE, now)),
  );
  return { keyId, text };
}

/**
 * A key that nodes can use: the kept one, registered if it is not, or a new one if there is none or it can no longer be
 * used. Can be repeated.
 * @param storedKey the text of the key that the installation keeps
 * @returns the text of the key
 */
export async function adminEnsureNodeKey(
  url: string,
  name: string,
  storedKey: string | undefined,
  random: Random,
  now: Date,
): Promise<string> {
  const freshText = newNodeKeyText(random);
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      if (storedKey !== undefined) {
        const { state } = await ensureNodeKey(tx, { text: storedKey, name }, COMMAND_LINE, now);
        if (state !== 'unusable') return storedKey;
      }
      await registerNodeKey(tx, freshText, { name }, COMMAND_LINE, now);
      return freshText;
    }),
  );
}

/** Every instance of a node that reported within a day, by name. */
export async function adminListNodes(url: string): Promise<NodeRow[]> {
  return withDatabase(url, allNodes);
}

/** Asks every node to compare all zones with the api, once. */
export async function adminCompareNodes(
  url: string,
  random: Random,
  now: Date,
): Promise<{ token: string; living: number }> {
  const token = random(8).toString('hex');
  return withDatabase(url, async (db) => {
    await setComparison(db, token, now);
    return { token, living: (await allNodes(db)).filter(({ isLiving }) => isLiving).length };
  });
}

/** The zones that living nodes hold and the database lacks. */
export interface HeldByNodes {
  /** Sorted. Not all of them if a node holds more than 10,300. */
  names: string[];
  /** The most that one node holds. */
  count: number;
  /** The nodes that report. */
  living: number;
}

/** The zones that nodes hold and the database lacks. */
export async function adminReadHeld(url: string): Promise<HeldByNodes> {
  return withDatabase(url, readHeld);
}

/** The same for a connection that is open. */
export async function readHeld(db: Db): Promise<HeldByNodes> {
  const livingNodes = (await allNodes(db)).filter(({ isLiving }) => isLiving);
  const held = livingNodes.flatMap((node) => (node.held === null ? [] : [node.held]));
  const names = [
    ...new Set(held.flatMap(({ zones, more = [] }) => [...zones.map(({ name }) => name), ...more])),
  ].sort();
  return { names, count: Math.max(names.length, ...held.map(({ count }) => count)), living: livingNodes.length };
}

/** Accepts that nodes remove the zones that they hold and the database lacks, with their keys. */
export async function adminAcceptRemovals(url: string, now: Date): Promise<void> {
  await withDatabase(url, (db) => acceptRemovals(db, now));
}

/**
 * Forgets a node that does not report any more.
 * @returns the number of its instances; 0 if there is none, or it reports
 */
export async function adminForgetNode(url: string, name: string): Promise<number> {
  return withDatabase(url, async (db) => (await forgetNode(db, name)).length);
}
