// How far the node is: the latest cursor before which no work is open.
//
// Each piece of work takes a number when it arrives. A line's cursor is marked after the work of that line. The cursor
// is reached when all work with smaller numbers has ended, or is omitted because its zone is failing and marked so in
// the state.

interface Mark {
  /** All work with smaller numbers belongs to this mark or an earlier one. */
  readonly before: number;
  readonly cursor: string;
  /** The time of arrival by the node's own clock, in ms. */
  readonly at: number;
}

const MAX_MARKS = 1_000;

export class FeedProgress {
  #next = 1;
  readonly #open = new Set<number>();
  #marks: Mark[] = [];
  #reached: Mark | null = null;

  /** @returns the number of a new piece of work */
  open(): number {
    const number = this.#next++;
    this.#open.add(number);
    return number;
  }

  /** The work has ended, or is omitted. A number that is not open is ignored. */
  close(number: number): void {
    this.#open.delete(number);
  }

  /** Everything up to `cursor` has arrived. */
  mark(cursor: string, at: number): void {
    const last = this.#marks.at(-1);
    // Without new work in between, the later cursor is reached together with the earlier one.
    if (last?.before === this.#next) this.#marks.pop();
    this.#marks.push({ before: this.#next, cursor, at });
    // A mark that is dropped only makes the cursor advance in larger steps.
    if (this.#marks.length > MAX_MARKS) {
      const newest = this.#marks.length - 1;
      this.#marks = this.#marks.filter((_, index) => index % 2 === 0 || index === newest);
    }
  }

  /** Forgets all cursors: only those that are marked later count. */
  forget(): void {
    this.#marks = [];
    this.#reached = null;
  }

  /** The latest cursor that is reached; null before the first one. */
  reached(): { readonly cursor: string; readonly at: number } | null {
    const [floor = Number.POSITIVE_INFINITY] = this.#open;
    while (this.#marks[0] !== undefined && this.#marks[0].before <= floor) this.#reached = this.#marks.shift() ?? null;
    return this.#reached;
  }
}
