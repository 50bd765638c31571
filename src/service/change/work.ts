// A change of the records of one zone, as data and pure functions (architecture A3). Every kind of change is one Work:
// a batch of records (records/batch-work.ts), the sets of owners (owners/set-work.ts), an edit of RRsets that exist
// (records/rrsets.ts).
//
//     changeZone     waits for its turn in the zone's queue, together with other works        change.ts
//     read           parses the records of the request, once the name of the zone is known
//     needs          the stored records, sets and answers that it is judged with              load.ts
//     judge          decides in memory, and edits the state of the zone                       judge.ts, state.ts
//     writeParts     if a constraint of the database rejects it: its parts, one by one        group.ts
import type { ParsedRecord, RecordInput } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import type { Actor } from '../accounts/actor.ts';
import { Refusal } from '../refusal.ts';
import type { Entry } from './history.ts';
import type { Once } from './once.ts';
import type { Judge } from './state.ts';

/** @typeParam Answer plain JSON, because it is stored for repeated requests */
export interface Work<Answer> {
  /** Limits how many works share a transaction: the number of changes, and the octets of their contents. */
  readonly size: { readonly changes: number; readonly octets: number };
  /** Records with the type ALIAS among these have their targets resolved before the turn of the work. */
  readonly records: readonly RecordInput[];
  /** @param zoneName canonical */
  read(zoneName: string, now: Date): Steps<ReadyWork<Answer>>;
}

/** A work whose records are parsed. Pure, because it may be judged several times. */
export interface ReadyWork<Answer> {
  readonly needs: Needs;
  /** @throws Refusal of the whole work; its edits are undone then */
  judge(judge: Judge): Steps<Judged<Answer>>;
  /**
   * Checks the rights that a repeated request needs now. They may have ended since its first answer, which shows
   * records.
   * @throws Refusal forbidden
   */
  mustRepeat(actor: Actor, zoneId: string, answer: Answer): void;
  /**
   * Writes the parts that succeed or fail alone, in their order, after a database constraint rejected a change that the
   * rules allowed.
   * @param write writes one part with a savepoint. It returns a Refusal if a constraint rejects the part, and throws
   * one that refuses the whole work.
   * @throws Refusal if the work is atomic and a part is refused
   */
  writeParts(write: <Part>(part: ReadyWork<Part>) => Promise<Part | Refusal>): Promise<Answer>;
}

/** Writes a work that has no parts: it succeeds or fails as a whole. @throws Refusal */
export async function writeWhole<Answer>(
  work: ReadyWork<Answer>,
  write: (part: ReadyWork<Answer>) => Promise<Answer | Refusal>,
): Promise<Answer> {
  const outcome = await write(work);
  if (outcome instanceof Refusal) throw outcome;
  return outcome;
}

/** The data that is loaded before a work is judged. Names are canonical and relative to the zone. */
export interface Needs {
  /** The records that it may write: the records that the rules compare them with are loaded. */
  readonly written: readonly ParsedRecord[];
  /** Names whose records are all loaded, because the work reads them or writes some of them again. */
  readonly names: readonly string[];
  /** Names whose owners' sets are loaded, as ordernames. */
  readonly ordernames: readonly string[];
  /** The records that it updates or deletes. */
  readonly ids: readonly string[];
  /** Owners whose sets are all loaded. */
  readonly owners: readonly string[];
  /** Whether the sets of owners at the names are loaded. */
  readonly withOwners: boolean;
  /** The Idempotency-Keys of its parts. */
  readonly tokens: readonly Once[];
}

export const NEEDS_NOTHING: Needs = {
  written: [],
  names: [],
  ordernames: [],
  ids: [],
  owners: [],
  withOwners: false,
  tokens: [],
};

export interface Judged<Answer> {
  readonly answer: Answer;
  /** The answer that is stored for repeated requests; null if a repeated request is to be judged again. */
  readonly stored: { readonly answer: Answer } | null;
  readonly entries: readonly Entry[];
  /** The writes that it counts in the window of the key, if the request has a WriteBudget. */
  readonly writes: number;
}
