// Asks one path one question, judges the answer and counts it. A bogus answer is asked for once more, with the keys and
// DS records of that moment, because a key may have changed between two answers; only the second answer counts.
import type { Clock } from '#base/clock.ts';
import {
  type AskOptions,
  NoAnswer,
  type ProbeAnswer,
  type ProbeEndpoint,
  type ProbeQuestion,
} from '#nameserver/probe/probe.ts';
import type { CanaryMetrics } from './metrics.ts';
import type { Path } from './paths.ts';
import type { Values } from './values.ts';
import {
  type Answer,
  type Facts,
  judgeKeys,
  judgeSoa,
  judgeValue,
  SILENT,
  type ValueVerdict,
  type Verdict,
} from './verdict.ts';
import type { CanaryZone } from './zone.ts';

export interface WatchOptions {
  readonly ask: (server: ProbeEndpoint, question: ProbeQuestion, options: AskOptions) => Promise<ProbeAnswer>;
  readonly clock: Clock;
  /** For the times of signatures. */
  readonly date: () => Date;
  readonly metrics: Pick<CanaryMetrics, 'countQuery'>;
  /** The zone as it is known now. */
  readonly zone: () => CanaryZone;
  /** Reads the zone again, if that was long enough ago. Never throws, except for the signal's reason. */
  readonly refreshZone: (signal: AbortSignal) => Promise<void>;
  /** See ExpectedValue. */
  readonly limitMs: number;
}

/** A value of the canary at its name. */
export interface WatchedValue {
  /** Absolute, without final dot. */
  readonly name: string;
  readonly values: Values;
  /** The number of the value that each address answered last. */
  readonly answered: Map<string, number>;
}

/** The verdicts on one round of questions to a path. */
export interface PathVerdicts {
  readonly keys: Verdict;
  readonly soa: Verdict;
  /** Null before the api has acknowledged a value. */
  readonly value: Verdict | null;
}

export interface Watch {
  /** Asks for the keys, the SOA and the value at the same time. Counts three queries, or two without a value. */
  look(path: Path, value: WatchedValue, signal: AbortSignal): Promise<PathVerdicts>;
  /** Asks for the value, and counts the query. @throws the signal's reason when it aborts, as `look` does */
  askValue(path: Path, value: WatchedValue, signal: AbortSignal): Promise<ValueVerdict>;
}

/** As a resolver: one more datagram after a second without an answer. */
const ATTEMPT = { timeoutMs: 1_000, attempts: 2 };

interface Asked {
  readonly answer: Answer | null;
  readonly askedAt: number;
  readonly seconds: number | null;
}

export function createWatch(options: WatchOptions): Watch {
  const { ask, clock, date, metrics, zone, refreshZone, limitMs } = options;

  const facts = (): Facts => {
    const { name, ds } = zone();
    return { zone: name, ds, nowSeconds: date().getTime() / 1000 };
  };

  async function query(
    path: Path,
    question: Pick<ProbeQuestion, 'name' | 'type'>,
    signal: AbortSignal,
  ): Promise<Asked> {
    const { server, transport } = path;
    const askedAt = clock.now();
    try {
      const answer = await ask(server, { ...question, dnssec: true }, { ...ATTEMPT, transport, signal });
      path.silentSince = null;
      return { answer, askedAt, seconds: (clock.now() - askedAt) / 1000 };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      path.silentSince ??= askedAt;
      return { answer: null, askedAt, seconds: null };
    }
  }

  const count = ({ address, transport }: Path, { result }: Verdict, { seconds }: Asked): void =>
    metrics.countQuery(address, transport, result, seconds);
  const questionKeys = () => ({ name: zone().name, type: 'DNSKEY' }) as const;

  /** Trusts the keys of the answer. An answer without keys leaves those that the path had. */
  function trust(path: Path, { answer }: Asked): Verdict {
    const verdict = judgeKeys(facts(), answer);
    if (verdict.result === 'bogus') path.keys = null;
    else if (verdict.keys !== null) path.keys = verdict.keys;
    return verdict;
  }

  /** Trusts the keys that the path answers now; the DS records may have changed with them. */
  async function readKeys(path: Path, asked: Asked, signal: AbortSignal): Promise<{ verdict: Verdict; asked: Asked }> {
    const verdict = trust(path, asked);
    if (verdict.result !== 'bogus') return { verdict, asked };
    await refreshZone(signal);
    const again = await query(path, questionKeys(), signal);
    return { verdict: trust(path, again), asked: again };
  }

  async function askKeys(path: Path, signal: AbortSignal): Promise<Verdict> {
    const { verdict, asked } = await readKeys(path, await query(path, questionKeys(), signal), signal);
    count(path, verdict, asked);
    return verdict;
  }

  /** Judges an answer, and a second one with the keys of that moment if the first one is bogus. */
  async function settle<V extends Verdict>(
    path: Path,
    question: Pick<ProbeQuestion, 'name' | 'type'>,
    first: Asked,
    judge: (asked: Asked) => V,
    signal: AbortSignal,
  ): Promise<V> {
    let asked = first;
    let verdict = judge(asked);
    if (verdict.result === 'bogus') {
      await readKeys(path, await query(path, questionKeys(), signal), signal);
      asked = await query(path, question, signal);
      verdict = judge(asked);
    }
    count(path, verdict, asked);
    return verdict;
  }

  const judgeOwnValue =
    (path: Path, { name, values }: WatchedValue) =>
    ({ answer, askedAt }: Asked): ValueVerdict => {
      if (answer === null) return { ...SILENT, number: null };
      return judgeValue(facts(), path.keys, { name, values, askedAt, limitMs }, answer);
    };

  async function settleValue(
    path: Path,
    value: WatchedValue,
    asked: Asked,
    signal: AbortSignal,
  ): Promise<ValueVerdict> {
    const question = { name: value.name, type: 'TXT' } as const;
    const verdict = await settle(path, question, asked, judgeOwnValue(path, value), signal);
    if (verdict.number !== null) value.answered.set(path.address, verdict.number);
    return verdict;
  }

  return {
    askValue: async (path, value, signal) => {
      if (path.keys === null) await askKeys(path, signal);
      return settleValue(path, value, await query(path, { name: value.name, type: 'TXT' }, signal), signal);
    },
    look: async (path, value, signal) => {
      const soaQuestion = { name: zone().name, type: 'SOA' } as const;
      const hasValue = value.values.newest() > 0;
      const [keysAnswer, soaAnswer, valueAnswer] = await Promise.all([
        query(path, questionKeys(), signal),
        query(path, soaQuestion, signal),
        hasValue ? query(path, { name: value.name, type: 'TXT' }, signal) : null,
      ]);
      const { verdict: keys, asked } = await readKeys(path, keysAnswer, signal);
      count(path, keys, asked);
      const judgeOwnSoa = ({ answer }: Asked) => judgeSoa(facts(), path.keys, answer);
      const soa = await settle(path, soaQuestion, soaAnswer, judgeOwnSoa, signal);
      if (valueAnswer === null) return { keys, soa, value: null };
      return { keys, soa, value: await settleValue(path, value, valueAnswer, signal) };
    },
  };
}
