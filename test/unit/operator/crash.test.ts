// Every call that the operator makes is its last one, or loses its answer, in one of these runs. However it went, in the
// end the service holds what the objects want, no more and no less.
import { describe, expect, it } from 'vitest';
import { ApiUnavailable } from '../../../src/client/errors.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench } from '../../support/operator/bench.ts';
import { Crash, type Fault, type Side } from '../../support/operator/faults.ts';
import { BETWEEN, type Interlude, SCENARIOS, type Scenario } from '../../support/operator/scenarios.ts';

const unreachable = (side: Side): never => {
  if (side === 'api') throw new ApiUnavailable('no answer');
  throw new KubeError({ status: 0, reason: 'Unreachable', message: 'no answer' });
};

interface FaultKind {
  readonly title: string;
  readonly when: Fault['when'];
  /** Whether the process dies, and a new one goes on. */
  readonly fatal: boolean;
}

const FAULTS: readonly FaultKind[] = [
  { title: 'dies before', when: 'before', fatal: true },
  { title: 'dies after', when: 'after', fatal: true },
  { title: 'cannot make', when: 'before', fatal: false },
  { title: 'loses the answer of', when: 'after', fatal: false },
];

/** Runs the scenario with the fault at call `at`; the problems in the end, or null when there are fewer calls. */
async function runWithFault(
  scenario: Scenario,
  kind: FaultKind,
  between: Interlude,
  at: number,
  recordsFirst: boolean,
): Promise<string[] | null> {
  const bench = new Bench();
  bench.recordsFirst = recordsFirst;
  const foreign = scenario.arrange(bench);
  await bench.settle();
  scenario.act(bench);
  let hit = false;
  bench.faults.arm({
    at,
    when: kind.when,
    act: (side) => {
      hit = true;
      if (kind.fatal) bench.faults.crash();
      between.act(bench);
      unreachable(side);
    },
  });
  try {
    await bench.settle();
  } catch (error) {
    if (!(error instanceof Crash)) return [String(error)];
    between.act(bench);
    bench.restart();
    try {
      await bench.settle();
    } catch (later) {
      return [String(later)];
    }
  }
  return hit ? audit(bench, foreign) : null;
}

async function everyStep(scenario: Scenario, kind: FaultKind, between: Interlude): Promise<string[]> {
  const problems: string[] = [];
  // Both orders where nothing else happens, one of them elsewhere: it is many runs.
  const orders = between === BETWEEN[0] ? [false, true] : [kind.fatal];
  for (const recordsFirst of orders) {
    for (let at = 1; ; at += 1) {
      const found = await runWithFault(scenario, kind, between, at, recordsFirst);
      if (found === null) break;
      if (found.length > 0) problems.push(`call ${at}${recordsFirst ? ', records first' : ''}: ${found.join('; ')}`);
    }
  }
  return problems;
}

describe.each(SCENARIOS)('while $title', (scenario) => {
  const betweens = BETWEEN.filter(({ title }) => !scenario.without?.includes(title));
  describe.each(betweens)('and $title', (between) => {
    it.each(FAULTS)('an operator that $title any call ends with the right state', async (kind) => {
      expect(await everyStep(scenario, kind, between)).toEqual([]);
    });
  });
});
