// How long record changes are collected, so that many of them need few requests: a request (a transaction, a commit of
// the name servers, a proof) costs as much as about ten records.
//
// A line is the changes of one lane and one zone, which can share a request. After each of its requests, a line
// collects for some time, and the number of changes in the next request decides about the time after that:
//
//   one change          25 ms; twice as long as before, up to 200 ms, if other lines are busy too: bulk in many zones
//   2 to 7 changes      twice as long as before, up to 800 ms
//   8 to 32 changes     as long as before
//   more                half as long as before
//
// The first change after a while is sent at once, and so are all changes of the lane `acme`: a challenge is never
// collected.
import type { Waiting } from './waiting.ts';

const FEW = 8;
const MANY = 32;
/** The longest times, as multiples of the first: after single changes, and after several. */
const MAX_SINGLE = 8;
const MAX = 32;
/** So many other lines with a request in flight or shortly before are bulk. */
const BUSY_LINES = 3;
const SHORTLY_MS = 250;
/** A line without requests begins with the first time again after this time. */
const QUIET_MS = 2_000;

type Place = Pick<Waiting, 'lane' | 'zone' | 'bytes'>;

export class Gathering {
  readonly #firstMs: number;
  /** How long each line collects since its last request, and until when, in ms. */
  readonly #lines = new Map<string, { readonly ms: number; readonly end: number }>();
  readonly #inFlight = new Set<string>();

  /** @param firstMs the time after a single change; 0: nothing is collected */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** The time from which the change may be sent, in ms; not after the present when it need not wait. */
  mayGoAt(place: Place): number {
    return this.#collects(place) ? (this.#lines.get(lineOf(place))?.end ?? 0) : 0;
  }

  /** A request with the change and perhaps others of its line was sent. */
  sent(place: Place): void {
    if (this.#collects(place)) this.#inFlight.add(lineOf(place));
  }

  /** That request has ended. @param size the number of its changes */
  ended(place: Place, size: number, now: number): void {
    if (!this.#collects(place)) return;
    const line = lineOf(place);
    this.#inFlight.delete(line);
    let busy = this.#inFlight.size;
    for (const [name, { end }] of this.#lines) {
      if (end + QUIET_MS <= now) this.#lines.delete(name);
      else if (name !== line && end + SHORTLY_MS > now && !this.#inFlight.has(name)) busy += 1;
    }
    const ms = this.#next(this.#lines.get(line)?.ms ?? this.#firstMs, size, busy >= BUSY_LINES);
    this.#lines.set(line, { ms, end: now + ms });
  }

  #next(before: number, size: number, busy: boolean): number {
    const first = this.#firstMs;
    if (size === 1) return busy ? Math.min(2 * before, MAX_SINGLE * first) : first;
    if (size < FEW) return Math.min(2 * before, MAX * first);
    return size <= MANY ? before : Math.max(before / 2, first);
  }

  #collects({ lane, bytes }: Place): boolean {
    return this.#firstMs > 0 && bytes > 0 && lane !== 'acme';
  }
}

function lineOf({ lane, zone }: Place): string {
  return `${lane} ${zone}`;
}
