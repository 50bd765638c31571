// Queries to a name server at a steady pace, as dig and resolvers send them: three datagrams over UDP, 1.5 s each.
// Counts queries without an answer, and wrong answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, NoAnswer, type ProbeEndpoint } from '#nameserver/probe/probe.ts';

const ATTEMPTS = 3;
const ATTEMPT_MS = 1_500;
/**
 * A turn of this process that is so late means that the machine paused: answers that are here by then have not been
 * read.
 */
const PAUSED_MS = 250;
/** So often questions that have become due are sent. */
const TURN_MS = 5;
/** After so long a question has its answer, or counts as failed. */
export const DNS_LIMIT_MS = ATTEMPTS * ATTEMPT_MS;

export interface DnsLoadCount {
  asked: number;
  /** No answer to any of the three datagrams, or another answer than NOERROR with records. */
  failed: number;
  /** Datagrams without an answer, of questions that failed or not. */
  repeated: number;
  /** The messages of the failed queries, each once, with the seconds since the start when it was sent. */
  reasons: string[];
}

export interface DnsLoad {
  count(): DnsLoadCount;
  /** Waits for the queries in flight. */
  stop(): Promise<DnsLoadCount>;
}

/** @param perSecond questions, each from a port of its own */
export function startDnsLoad(server: ProbeEndpoint, name: string, perSecond: number): DnsLoad {
  const over = new AbortController();
  const reasons = new Map<string, Set<number>>();
  const startedAt = performance.now();
  const under = new Set<Promise<void>>();
  const total = { asked: 0, failed: 0, repeated: 0 };
  const fail = (reason: string, askedAt: number) => {
    total.failed += 1;
    const seconds = reasons.get(reason) ?? new Set();
    reasons.set(reason, seconds.add(Math.floor((askedAt - startedAt) / 1000)));
  };
  const question = async () => {
    total.asked += 1;
    const askedAt = performance.now();
    const { signal } = new AbortController();
    for (let attempt = 1; ; attempt += 1) {
      const sentAt = performance.now();
      try {
        const answer = await ask(server, { name, type: 'A' }, { timeoutMs: ATTEMPT_MS, attempts: 1, signal });
        if (answer.rcode !== 0 || answer.answers.length === 0)
          fail(`rcode ${answer.rcode}, ${answer.answers.length} answers`, askedAt);
        return;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (performance.now() - sentAt > ATTEMPT_MS + PAUSED_MS) {
          attempt -= 1;
          continue;
        }
        total.repeated += 1;
        // A port that is closed answers at once; the next datagram still has its time, as with resolvers.
        await sleep(Math.max(0, askedAt + attempt * ATTEMPT_MS - performance.now()));
        if (attempt === ATTEMPTS) return fail(error.message, askedAt);
      }
    }
  };
  const run = async () => {
    while (!over.signal.aborted) {
      const due = ((performance.now() - startedAt) / 1_000) * perSecond;
      while (total.asked < due) {
        const one = question().finally(() => under.delete(one));
        under.add(one);
      }
      await sleep(TURN_MS);
    }
    await Promise.all(under);
  };
  const running = run();
  const count = () => ({
    ...total,
    reasons: [...reasons].map(([reason, seconds]) => `${reason} in s ${[...seconds].join(' ')}`),
  });
  return {
    count,
    stop: async () => {
      over.abort();
      await running;
      return count();
    },
  };
}
