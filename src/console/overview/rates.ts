// Turns the counters of name servers into rates by slot of time. A counter that falls belongs to a name server that
// started again. Pure.
import type { NodeSample } from '#service/overview/overview.ts';

export interface Rates {
  /** The beginnings of the slots, the oldest first. */
  slots: Date[];
  /** Queries a second by node. Null: nothing is known of the slot. */
  byNode: Map<string, (number | null)[]>;
  /** Queries a second of all nodes, by result. */
  byResult: Map<string, (number | null)[]>;
  /** Seconds from a change to the report that a node has applied it, on average. Null: no change. */
  latency: (number | null)[];
}

interface Step {
  node: string;
  slot: number;
  seconds: number;
  answers: Map<string, number>;
  applied: number;
  appliedSeconds: number;
}

/**
 * @param slotSeconds the length of a slot
 * @param now the end of the last slot, of a day in total
 */
export function computeRates(samples: readonly NodeSample[], slotSeconds: number, now: Date): Rates {
  const length = slotSeconds * 1_000;
  const last = Math.floor(now.getTime() / length);
  const count = Math.round((24 * 60 * 60) / slotSeconds);
  const first = last - count + 1;
  const steps = [...Map.groupBy(samples, ({ node, instance }) => `${node} ${instance}`).values()]
    .flatMap(computeSteps)
    .map((step) => ({ ...step, slot: Math.floor(step.slot / length) - first }))
    .filter(({ slot }) => slot >= 0 && slot < count);
  const row = () => Array.from({ length: count }, (): number | null => null);
  const byNode = new Map<string, (number | null)[]>();
  const byResult = new Map<string, (number | null)[]>();
  const appliedBySlot = Array.from({ length: count }, () => ({ changes: 0, seconds: 0 }));
  for (const { node, slot, seconds, answers, ...work } of steps) {
    for (const [result, answerCount] of answers) {
      add(byNode, node, row, slot, answerCount / seconds);
      add(byResult, result, row, slot, answerCount / seconds);
    }
    const sum = appliedBySlot[slot] as { changes: number; seconds: number };
    sum.changes += work.applied;
    sum.seconds += work.appliedSeconds;
  }
  return {
    slots: Array.from({ length: count }, (_, at) => new Date((first + at) * length)),
    byNode: new Map([...byNode].sort(([a], [b]) => a.localeCompare(b))),
    byResult,
    latency: appliedBySlot.map(({ changes, seconds }) => (changes === 0 ? null : seconds / changes)),
  };
}

/** The differences between samples of one instance. */
function computeSteps(samples: readonly NodeSample[]): Step[] {
  return samples.slice(1).flatMap((sample, at) => {
    const before = samples[at] as NodeSample;
    const seconds = (sample.at.getTime() - before.at.getTime()) / 1_000;
    if (seconds <= 0) return [];
    const answers = new Map(
      before.answers === null
        ? []
        : Object.entries(sample.answers ?? {}).map(([result, value]) => {
            const old = before.answers?.[result] ?? 0;
            return [result, value < old ? value : value - old] as const;
          }),
    );
    return [
      {
        node: sample.node,
        slot: before.at.getTime(),
        seconds,
        answers,
        applied: Math.max(0, sample.applied - before.applied),
        appliedSeconds: Math.max(0, sample.appliedSeconds - before.appliedSeconds),
      },
    ];
  });
}

function add(
  series: Map<string, (number | null)[]>,
  name: string,
  row: () => (number | null)[],
  slot: number,
  rate: number,
): void {
  const values = series.get(name) ?? row();
  values[slot] = (values[slot] ?? 0) + rate;
  series.set(name, values);
}
