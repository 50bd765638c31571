// The write limits of keys that have no limits of their own (contract L1).
import { BUCKETS } from '#base/buckets.ts';
import type { WriteLimits } from '#http/hooks/limits.ts';
import type { Actor } from '#service/accounts/actor.ts';

/** @param isOn whether keys without limits of their own have those of the service */
export function chooseWriteLimits(isOn: boolean): WriteLimits {
  const limitOf = (own: (actor: Actor) => number | null, shared: number) => (actor: Actor) =>
    own(actor) ?? (isOn ? shared : null);
  return {
    zones: limitOf((actor) => actor.zoneWrites, BUCKETS.zones.limit),
    records: limitOf((actor) => actor.recordWrites, BUCKETS.records.limit),
    // Challenges have a window of their own, of the same size.
    challenges: limitOf((actor) => actor.recordWrites, BUCKETS.challenges.limit),
    // Only people change teams. No key has a number of its own for this.
    account: (actor) => (isOn && actor.user !== null ? BUCKETS.account.limit : null),
  };
}
