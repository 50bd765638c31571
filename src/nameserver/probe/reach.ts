// Which addresses of name servers answer nothing at all, which is not the same as a wrong answer: a server that serves
// old data must hold back a proof, and one that is down must not hold back the proofs of all zones.
//
//     answers → a query without an answer → silent → for two minutes and several queries → unreachable
//     silent, unreachable → the first answer of any kind → answers
//
// Only silent addresses are kept. One that is not asked any more is forgotten, for instance after its name left the NS
// records.
import type { Clock } from '#base/clock.ts';
import type { ServerVerdict } from './probe.ts';
import type { NameServer } from './servers.ts';

/** An address that answered no query since this time. */
export interface Unreachable {
  readonly server: NameServer;
  readonly since: Date;
}

/** A name server that an administrator has cordoned: it is planned to be down. */
export interface PlannedAbsence {
  /** Its name, or one of its addresses. */
  readonly name: string;
  readonly until: Date;
  readonly reason?: string | undefined;
}

/** An address that a proof does not include. */
export interface LeftOut extends Unreachable {
  /** Absent: it answers nothing. */
  readonly cordon?: PlannedAbsence;
}

interface Silence {
  readonly server: NameServer;
  /** The clock of the process, for the length. */
  readonly at: number;
  /** The time that people read. */
  readonly since: Date;
  queries: number;
  askedAt: number;
}

/** An address is unreachable when it answered nothing for this time, in ms. */
export const UNREACHABLE_MS = 120_000;
/** Single datagrams get lost. */
const MIN_QUERIES = 3;
/** An unreachable address is asked this often, in ms: each query without an answer delays a proof by two seconds. */
const ASK_AGAIN_MS = 15_000;
const FORGET_MS = 600_000;
const MAX_SILENT = 256;
const MAX_ANSWERED = 4_096;

export class Reach {
  readonly #clock: Clock;
  readonly #date: () => Date;
  readonly #silences = new Map<string, Silence>();
  /** The knowledge of an earlier process, by name and address, until the first query. */
  readonly #earlier = new Map<string, Date>();
  /** The addresses that have answered this process, by name and address: it knows better than an earlier one. */
  readonly #answered = new Map<string, string>();

  constructor(clock: Clock, date: () => Date) {
    this.#clock = clock;
    this.#date = date;
  }

  /** @param askedAt when the query began, by the clock */
  note({ server, isSilent }: Pick<ServerVerdict, 'server' | 'isSilent'>, askedAt: number): void {
    const key = keyOf(server);
    const silence = this.#silences.get(key);
    const earlier = this.#takeEarlier(server);
    if (!isSilent) {
      this.#silences.delete(key);
      if (this.#answered.size < MAX_ANSWERED) this.#answered.set(`${server.name} ${server.address}`, server.address);
    } else if (earlier !== undefined) this.#begin(server, askedAt - UNREACHABLE_MS, earlier, MIN_QUERIES);
    else if (silence !== undefined) silence.queries += 1;
    else this.#begin(server, askedAt, this.#date(), 1);
  }

  /** The address was unreachable for an earlier process: one query without an answer suffices. */
  restore(name: string, address: string, since: Date): void {
    const key = `${name} ${address}`;
    if (this.#answered.has(key) || this.#answered.size >= MAX_ANSWERED || this.#earlier.size >= MAX_SILENT) return;
    this.#earlier.set(key, since);
  }

  /** Since when the address is unreachable; null if it is not. */
  unreachableSince(server: NameServer): Date | null {
    const silence = this.#silences.get(keyOf(server));
    return silence !== undefined && this.#isUnreachable(silence) ? silence.since : null;
  }

  /** Whether to ask the address now. An unreachable one is asked by one proof of many, and is silent for the others. */
  mayAsk(server: NameServer): boolean {
    const now = this.#clock.now();
    const silence = this.#silences.get(keyOf(server));
    if (silence === undefined) return true;
    if (this.#isUnreachable(silence) && now - silence.askedAt < ASK_AGAIN_MS) return false;
    silence.askedAt = now;
    return true;
  }

  unreachable(): Unreachable[] {
    this.#forget();
    return [...this.#silences.values()].filter((silence) => this.#isUnreachable(silence));
  }

  /** The addresses that have answered since the start of the process. A silent one may be among them. */
  answered(): Set<string> {
    return new Set(this.#answered.values());
  }

  #takeEarlier({ name, address }: NameServer): Date | undefined {
    const key = `${name} ${address}`;
    const since = this.#earlier.get(key);
    this.#earlier.delete(key);
    return since;
  }

  #isUnreachable({ at, queries }: Silence): boolean {
    return queries >= MIN_QUERIES && this.#clock.now() - at >= UNREACHABLE_MS;
  }

  #begin(server: NameServer, at: number, since: Date, queries: number): void {
    this.#forget();
    if (this.#silences.size >= MAX_SILENT) return;
    this.#silences.set(keyOf(server), { server, at, since, queries, askedAt: this.#clock.now() - ASK_AGAIN_MS });
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [key, { askedAt }] of this.#silences) if (now - askedAt > FORGET_MS) this.#silences.delete(key);
  }
}

/** So many other addresses must be right before one is omitted. */
const MIN_PROVEN = 2;

/**
 * The addresses without which a proof continues: those that are unreachable, and answered nothing now. An address with
 * a wrong answer is never among them. Pure.
 */
export function chooseLeftOut(
  verdicts: readonly ServerVerdict[],
  unreachableSince: (server: NameServer) => Date | null,
): Unreachable[] {
  if (verdicts.filter(({ ok }) => ok).length < MIN_PROVEN) return [];
  return verdicts.flatMap(({ server, isSilent }) => {
    const since = isSilent ? unreachableSince(server) : null;
    return since === null ? [] : [{ server, since }];
  });
}

/**
 * The addresses that are cordoned, also those with a wrong answer: a name server under work may answer old data.
 * Nothing is omitted if no other address is right, because then nothing would be proven. Pure.
 */
export function chooseCordoned(
  verdicts: readonly ServerVerdict[],
  cordonOf: (server: NameServer) => PlannedAbsence | null,
  now: Date,
): LeftOut[] {
  const cordoned = verdicts.flatMap(({ server }) => {
    const cordon = cordonOf(server);
    return cordon === null ? [] : [{ server, since: now, cordon }];
  });
  const cordonedServers = new Set(cordoned.map(({ server }) => server));
  return verdicts.some(({ server, ok }) => ok && !cordonedServers.has(server)) ? cordoned : [];
}

/** The smallest number of addresses of which one can be omitted. */
export const MIN_ADDRESSES = MIN_PROVEN + 1;

function keyOf({ address, port }: NameServer): string {
  return `${address} ${port}`;
}
