// The values that this process writes into its TXT record, and how old an answered value is. Values are numbered, and
// only the clock of the process measures time, so a corrected system clock changes no result.

/** An answer that is none of this process' values: an older process' value, or no record. */
export const NO_VALUE = 0;

/** The beginning of every value of every canary. */
const MARK = 'zonestead-canary';
/** With a change every ten seconds, this is almost three hours. */
const MAX_WRITES = 1_000;

interface Write {
  /** For a removal, this is the newest value that it may have removed. */
  readonly number: number;
  /** The clock when the api had acknowledged the write; null for a removal whose outcome is unknown. */
  readonly at: number | null;
  readonly isRemoval: boolean;
}

export interface CanaryValue {
  /** Counts from 1. */
  readonly number: number;
  /** The content of the TXT record. */
  readonly content: string;
}

export class Values {
  readonly #run: string;
  #last = NO_VALUE;
  /** In their order. */
  readonly #writes: Write[] = [];

  /** @param run a text of letters and digits that no other process has */
  constructor(run: string) {
    this.#run = run;
  }

  next(): CanaryValue {
    this.#last += 1;
    return { number: this.#last, content: `${MARK}:${this.#run}:${this.#last}` };
  }

  /** The api has written the value. A value without this call may be served too: its outcome is unknown. */
  acknowledge(number: number, at: number): void {
    this.#add({ number, at, isRemoval: false });
  }

  /**
   * The api has removed the record: no record is the right answer until the next value. @param at null: the outcome is
   * unknown, so that the values before are right, too
   */
  acknowledgeRemoval(at: number | null): void {
    this.#add({ number: this.#last, at, isRemoval: true });
  }

  /** The newest value that the api has acknowledged; NO_VALUE before the first one. */
  newest(): number {
    return this.#writes.findLast(({ isRemoval }) => !isRemoval)?.number ?? NO_VALUE;
  }

  /** The number of a value of this process; NO_VALUE for every other text. */
  numberOf(content: string): number {
    const [mark, run, text = '', ...rest] = content.split(':');
    if (mark !== MARK || run !== this.#run || rest.length > 0 || !/^[1-9]\d{0,14}$/.test(text)) return NO_VALUE;
    const number = Number(text);
    return number <= this.#last ? number : NO_VALUE;
  }

  /**
   * When the api acknowledged the first write after this value; null if there is none. For a value older than all that
   * are remembered, it is the time of the oldest one. NO_VALUE is also what is served after a removal.
   */
  overtakenAt(number: number): number | null {
    if (number === NO_VALUE) {
      const next = this.#writes.findLastIndex(({ isRemoval }) => isRemoval) + 1;
      return this.#writes[next]?.at ?? null;
    }
    const later = this.#writes.find((write) =>
      write.isRemoval ? write.number >= number && write.at !== null : write.number > number,
    );
    return later?.at ?? null;
  }

  #add(write: Write): void {
    this.#writes.push(write);
    if (this.#writes.length > MAX_WRITES) this.#writes.shift();
  }
}
