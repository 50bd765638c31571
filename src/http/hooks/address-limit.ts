// Limits the work of a process for clients that have not proved who they are: how often for one address, and how much
// at a time. Addresses of one IPv6 /64 network count as one.

import { toClientNetwork } from '#base/networks.ts';
import { limitWork, type WorkLimitOptions } from '#service/permits.ts';
import { refusal } from '#service/refusal.ts';

/** More addresses than this share one number. */
const MAX_ADDRESSES = 10_000;

interface AddressLimitOptions {
  /** How often an address may begin in a window. */
  rate: { most: number; windowMs: number };
  /** `share`: for one address. */
  work: WorkLimitOptions;
  /** The time in ms. */
  now(): number;
}

/**
 * @returns a function that waits for the turn of an address, and returns the function that ends it
 * @throws (the function) Refusal rate_limited, busy; the reason of the signal
 */
export function limitAddresses({ rate: { most, windowMs }, work: options, now }: AddressLimitOptions) {
  const limit = limitWork(options);
  let counts = new Map<string, number>();
  let since = now();

  function count(network: string): void {
    if (now() - since >= windowMs) [counts, since] = [new Map(), now()];
    const holder = counts.has(network) || counts.size < MAX_ADDRESSES ? network : 'others';
    const times = (counts.get(holder) ?? 0) + 1;
    counts.set(holder, times);
    if (times <= most) return;
    const limits = { kind: `${options.work} from your address`, limit: most, seconds: windowMs / 1_000 };
    throw refusal('too-many-writes', limits, { retryAfterMs: Math.max(1, since + windowMs - now()) });
  }

  return async (address: string, signal: AbortSignal): Promise<() => void> => {
    const network = toClientNetwork(address);
    count(network);
    return limit.take(network, signal);
  };
}
