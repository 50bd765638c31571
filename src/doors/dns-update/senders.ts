// The addresses that sent an update a moment ago. An unsigned query of such a client waits for the name servers as a
// signed one does, because many clients ask without a signature whether their update is served.
import type { Actor } from '#service/accounts/actor.ts';

/** How long an address is known after its last update, in ms. */
const KNOWN_MS = 10_000;
/** The number of addresses that are known; the one whose update is oldest is forgotten first. */
const MAX_ADDRESSES = 1_000;

export interface Senders {
  /** The address sent an update that was made. */
  add(address: string, actor: Actor): void;
  /** The key of the last update from the address; null if it sent none for some time. */
  actorAt(address: string): Actor | null;
}

/** @param now the time in ms */
export function createSenders(now: () => number): Senders {
  const senderByAddress = new Map<string, { actor: Actor; at: number }>();
  return {
    add(address, actor) {
      senderByAddress.delete(address);
      senderByAddress.set(address, { actor, at: now() });
      const [oldest] = senderByAddress.keys();
      if (senderByAddress.size > MAX_ADDRESSES && oldest !== undefined) senderByAddress.delete(oldest);
    },
    actorAt(address) {
      const sender = senderByAddress.get(address);
      return sender !== undefined && now() - sender.at < KNOWN_MS ? sender.actor : null;
    },
  };
}
