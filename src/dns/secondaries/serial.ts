// SOA serials of nodes that sign the same zone, each by itself, and what happens when the source of transfers dies.
// Pure.
//
// The problem: nodes have the same records and different signatures, because ECDSA is random and the times differ. A
// secondary that got serial 7 from one node and asks another for the changes since 7 gets changes that delete
// signatures which it does not have. Tried with two knotd 3.2.6 that had the same key, records and serials: Knot ("no
// such record in zone found"), BIND ("not exact") and NSD (its reload process exits) each notice it and transfer the
// whole zone. None has to: a server that ignores deletions of absent records would serve signatures of both.
//
// The scheme has three rules. Each of the first two is enough against mixed signatures; they protect each other's gaps.
// 1. A serial belongs to one node. Each node has a slot, and its serials are congruent to the slot modulo SLOTS. A node
//    that is asked about a serial of another does not have it in its journal and answers with the whole zone. (The gap:
//    Knot 3.2 renews signatures with a serial of its own, the Unix time. Newer ones have `serial-modulo`.)
// 2. A node answers IXFR only while it is the source and its secondaries have zones of it (roles in
//    nameserver/knot/secondaries.ts): a standby never, a new source not until each secondary that answers has a serial
//    of its slot (`isOfSlot`).
// 3. Only the source sends NOTIFY: with two senders, every change costs two transfers of the whole zone, as the
//    secondary goes from one to the other and back. For the same reason the serials of the source are one round ahead:
//    BIND asks all its primaries and takes the one with the latest serial.
// A new source compares its serials with those that its secondaries answer, and jumps over a later one (`jumpOver`);
// otherwise they would ignore it. That also corrects serials after a restored database or a wrong clock.
//
// A secondary that cannot tell from the address of a NOTIFY which primary sent it may ask a standby first, and then has
// the whole zone of that one, with a serial below the source's, until it asks the source again.
//
// A source that returns is a standby until it has applied the feed; then it becomes `new-source`, and the other one
// `standby`. A secondary without connection to the source takes whole zones from a standby and returns by itself.
import { isLater } from '../serial.ts';

/**
 * The most nodes that can sign for the same secondaries. A power of two, so that it divides 2^32 and the rule survives
 * the wrap.
 */
export const SLOTS = 4;

const SPACE = 2 ** 32;

export interface SerialWish {
  /** The serial of the api: the zone must have this one or a later one. */
  least: number;
  /** The serial that the node has now: the new one must come after it. Null: no zone yet. */
  current: number | null;
  /** 0 to SLOTS - 1; no two nodes have the same. */
  slot: number;
  /**
   * Whether the node is the source of transfers. Its serials are one round ahead of those that the others have for the
   * same contents, because a secondary that asks all its primaries (BIND does) would otherwise transfer the whole zone
   * from one that is ahead by chance.
   */
  source: boolean;
}

/** The next serial of a zone. It is never 0. */
export function slottedSerial({ least, current, slot, source }: SerialWish): number {
  const from = (least + (source ? SLOTS : 0)) % SPACE;
  const after = current === null ? from : (current + 1) % SPACE;
  const start = isLater(after, from) ? after : from;
  const serial = (start + ((slot - (start % SLOTS) + SLOTS) % SLOTS)) % SPACE;
  return serial === 0 ? SLOTS : serial;
}

/**
 * The serial that a source must jump to, because a secondary has a later one (from a source before it, or from before a
 * restored database) and would ignore all changes. Null: no secondary is ahead.
 *
 * @param seenSerials the serials that the secondaries of the zone answer
 */
export function jumpOver(ownSerial: number, seenSerials: readonly number[], slot: number): number | null {
  const latest = seenSerials.reduce((last, serial) => (isLater(serial, last) ? serial : last), ownSerial);
  if (latest === ownSerial) return null;
  return slottedSerial({ least: latest, current: latest, slot, source: false });
}

/** Whether the serial was made by the node of this slot. */
export function isOfSlot(serial: number, slot: number): boolean {
  return serial % SLOTS === slot;
}
