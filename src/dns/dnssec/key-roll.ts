/**
 * The steps by which a new key takes the place of the others of a zone (RFC 6781 sections 4.1.2 and 4.1.4), for
 * combined signing keys. Pure.
 *
 *     same algorithm     published → ready → active, the others retired → the others gone
 *     other algorithm    presigning → published → ready → active, the others postsigning → the others gone
 *
 * A step is taken when all servers show the one before, and resolvers have forgotten what was there before it.
 */
import { isRolling, type KeyState } from './key-states.ts';
import type { PublicKey } from './signing-key.ts';

export interface RollKey extends PublicKey {
  readonly id: number;
  readonly state: KeyState;
}

/** A key with the state that a step gives it; null: it is deleted. */
export interface KeyMove {
  readonly id: number;
  readonly to: KeyState | null;
}

/** The sign at the servers that a step waits for. */
export type Awaited =
  /** The signatures of the zone are by this key. */
  | { readonly kind: 'signed-by'; readonly key: RollKey }
  /** The DNSKEY RRset has this key. */
  | { readonly kind: 'key-there'; readonly key: RollKey }
  /** The parent has DS records of this key and of no other, or none at all. */
  | { readonly kind: 'ds-there'; readonly key: RollKey }
  /** The parent has no DS record of this key. */
  | { readonly kind: 'ds-gone'; readonly key: RollKey }
  /** No signature of the zone is by one of these keys. */
  | { readonly kind: 'unsigned-by'; readonly keys: readonly RollKey[] }
  /** The DNSKEY RRset has none of these keys. */
  | { readonly kind: 'keys-gone'; readonly keys: readonly RollKey[] };

/** The present step of a roll. */
export interface RollStep {
  /** The key that comes; null while the others go. */
  readonly coming: RollKey | null;
  /** The key whose row holds the progress of the step. */
  readonly carrier: RollKey;
  readonly awaited: Awaited;
  readonly next: readonly KeyMove[];
}

/** Null if no key comes or goes. */
export function currentStep(keys: readonly RollKey[]): RollStep | null {
  const coming = keys.find(({ state }) => state === 'presigning' || state === 'published' || state === 'ready');
  if (coming !== undefined) return stepOfComing(coming, keys);
  const withdrawn = keys.find(({ state }) => state === 'withdrawn');
  if (withdrawn !== undefined) {
    const move = { id: withdrawn.id, to: isSeenAlgorithm(withdrawn, keys) ? ('postsigning' as const) : null };
    return { coming: null, carrier: withdrawn, awaited: { kind: 'ds-gone', key: withdrawn }, next: [move] };
  }
  const leaving = keys.filter(isRolling);
  const [carrier] = leaving;
  if (carrier === undefined) return null;
  const kind = leaving.some(({ state }) => state === 'postsigning') ? 'keys-gone' : 'unsigned-by';
  return { coming: null, carrier, awaited: { kind, keys: leaving }, next: leaving.map(({ id }) => ({ id, to: null })) };
}

function stepOfComing(key: RollKey, keys: readonly RollKey[]): RollStep {
  const step = { coming: key, carrier: key };
  const move = (to: KeyState): KeyMove[] => [{ id: key.id, to }];
  if (key.state === 'presigning') return { ...step, awaited: { kind: 'signed-by', key }, next: move('published') };
  if (key.state === 'published') return { ...step, awaited: { kind: 'key-there', key }, next: move('ready') };
  const others = keys.filter(({ id }) => id !== key.id);
  const end = isOtherAlgorithm(key, others) ? 'postsigning' : 'retired';
  const next = [...move('active'), ...others.map(({ id }) => ({ id, to: end }) as const)];
  return { ...step, awaited: { kind: 'ds-there', key }, next };
}

/** The state of a key that begins a roll. @param keys those of the zone, which are all active */
export function firstState(algorithm: PublicKey['algorithm'], keys: readonly PublicKey[]): KeyState {
  return isOtherAlgorithm({ algorithm }, keys) ? 'presigning' : 'published';
}

/** Whether signatures of one key do not do for the others (RFC 4035 section 2.2). */
function isOtherAlgorithm({ algorithm }: Pick<PublicKey, 'algorithm'>, others: readonly PublicKey[]): boolean {
  return others.some((other) => other.algorithm !== algorithm);
}

/**
 * The moves that end a roll. A key whose DS records the parent may have stays until the parent has none.
 * @returns null if the roll cannot be cancelled: there is none, or the others go already
 */
export function planCancel(keys: readonly RollKey[]): readonly KeyMove[] | null {
  const coming = currentStep(keys)?.coming ?? null;
  if (coming === null) return null;
  const { id, state } = coming;
  if (state === 'presigning') return [{ id, to: null }];
  if (state === 'ready') return [{ id, to: 'withdrawn' }];
  return [{ id, to: isSeenAlgorithm(coming, keys) ? 'postsigning' : null }];
}

/** Resolvers may keep a DNSKEY RRset with an algorithm, for which everything must then be signed. */
function isSeenAlgorithm(key: RollKey, keys: readonly RollKey[]): boolean {
  return isOtherAlgorithm(
    key,
    keys.filter(({ id }) => id !== key.id),
  );
}

/** The keys after some moves. */
export function applyMoves<Key extends RollKey>(keys: readonly Key[], moves: readonly KeyMove[]): Key[] {
  return keys.flatMap((key) => {
    const move = moves.find(({ id }) => id === key.id);
    if (move === undefined) return [key];
    return move.to === null ? [] : [{ ...key, state: move.to }];
  });
}
