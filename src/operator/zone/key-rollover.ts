/**
 * Decides whether spec.keyRollover of a DNSZone asks for a key roll now. The answer follows from the keys of the
 * service alone, and from no status, so it survives a restart of the operator, and a deletion of the object. Pure.
 *
 *     cause         a roll is wanted                                     a cancelled roll counts as the answer to it
 *     algorithm     while a key has another algorithm                    always
 *     requestedAt   from that time on, while a key is older than it      if it was cancelled after that time
 *     every         when the oldest key has that age                     for one more period
 *
 * While a roll is under way, the operator begins no other one.
 */
import type { ZoneKeys } from '#contract/zone-keys.ts';
import type { NewKeyAlgorithm } from '#dns/dnssec/signing-key.ts';
import { type KeyRollover, ROLLOVER_ALGORITHMS, readPeriodMs } from '#resources/key-rollover.ts';

/** The field that asks for a roll. */
export type RolloverCause = keyof KeyRollover;

export type RolloverDecision =
  /** @property algorithm undefined: the default of the service */
  | { readonly kind: 'begin'; readonly algorithm: NewKeyAlgorithm | undefined; readonly cause: RolloverCause }
  /** A person cancelled the roll that the spec asks for. @property until the time of the next one; null: none is planned */
  | { readonly kind: 'cancelled'; readonly cancelledAt: Date; readonly until: Date | null }
  /** Nothing is wanted. @property until as above */
  | { readonly kind: 'rest'; readonly until: Date | null };

/**
 * The clocks of a person, the operator and the service differ: a key that was made a minute before requestedAt is new.
 * Otherwise the roll for a request could be followed by a second one.
 */
const CLOCK_DIFFERENCE_MS = 60_000;

interface Wish {
  readonly cause: RolloverCause;
  /** The time from which the roll is wanted, in ms. */
  readonly from: number;
  readonly isCancelled: boolean;
}

/** @param spec undefined: no roll is wanted, or the operator must not change the zone */
export function decideRollover(
  spec: KeyRollover | undefined,
  { keys, roll }: Pick<ZoneKeys, 'keys' | 'roll'>,
  now: Date,
): RolloverDecision {
  if (spec === undefined || roll !== null || keys.length === 0) return { kind: 'rest', until: null };
  const cancelledAt = Math.max(...keys.map((key) => Date.parse(key.rollCancelledAt ?? '') || Number.NEGATIVE_INFINITY));
  const wishes = listWishes(spec, keys, cancelledAt);
  const cause = wishes.find(({ from, isCancelled }) => !isCancelled && from <= now.getTime())?.cause;
  if (cause !== undefined) return { kind: 'begin', algorithm: chooseAlgorithm(spec, keys), cause };
  const next = Math.min(...wishes.flatMap(({ from, isCancelled }) => (isCancelled ? [] : [from])));
  const until = Number.isFinite(next) ? new Date(next) : null;
  const isCancelled = wishes.some((wish) => wish.isCancelled) || isOfAge(spec, keys, now);
  return isCancelled ? { kind: 'cancelled', cancelledAt: new Date(cancelledAt), until } : { kind: 'rest', until };
}

function listWishes(spec: KeyRollover, keys: ZoneKeys['keys'], cancelledAt: number): Wish[] {
  const { algorithm, requestedAt, every } = spec;
  const wishes: Wish[] = [];
  if (algorithm !== undefined && keys.some((key) => key.algorithm !== ROLLOVER_ALGORITHMS[algorithm])) {
    const from = Number.NEGATIVE_INFINITY;
    wishes.push({ cause: 'algorithm', from, isCancelled: cancelledAt > from });
  }
  const requestedMs = Date.parse(requestedAt ?? '');
  if (oldestOf(keys) < requestedMs - CLOCK_DIFFERENCE_MS)
    wishes.push({ cause: 'requestedAt', from: requestedMs, isCancelled: cancelledAt >= requestedMs });
  if (every !== undefined) {
    const from = Math.max(oldestOf(keys), cancelledAt) + readPeriodMs(every);
    wishes.push({ cause: 'every', from, isCancelled: false });
  }
  return wishes;
}

/** Whether a roll would be due by age if none had been cancelled. */
function isOfAge({ every }: KeyRollover, keys: ZoneKeys['keys'], now: Date): boolean {
  return every !== undefined && oldestOf(keys) + readPeriodMs(every) <= now.getTime();
}

/** In ms. */
function oldestOf(keys: ZoneKeys['keys']): number {
  return Math.min(...keys.map(({ createdAt }) => Date.parse(createdAt)));
}

/** Without a wish, a new key has the algorithm of the newest one. The service makes no RSA keys. */
function chooseAlgorithm({ algorithm }: KeyRollover, keys: ZoneKeys['keys']): NewKeyAlgorithm | undefined {
  if (algorithm !== undefined) return ROLLOVER_ALGORITHMS[algorithm];
  const present = keys.at(-1)?.algorithm;
  return present === 8 ? undefined : present;
}
