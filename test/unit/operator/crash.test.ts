// In each of these runs, one call of the operator is its last one, or loses its response. In the end the service always
// contains exactly the records that the objects request.
import { describe, expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { KubeError } from '#kube/api/errors.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench } from '../../support/operator/bench.ts';
import { Crash, type Fault, type Side } from '../../support/operator/faults.ts';
import { effort } from '../../support/runner/seed.ts';
import { BETWEEN, type Interlude, SCENARIOS, type Scenario } from './scenarios.support.ts';

const unreachable = (side: Side): never => {
  if (side === 'api') throw new ApiUnavailable('no answer');
  throw new KubeError({ status: 0, reason: 'Unreachable', message: 'no answer' });
};

interface FaultKind {
  readonly title: string;
  readonly when: Fault['when'];
  /** Whether the process dies and a new one continues. */
  readonly fatal: boolean;
}

/**
 * Each kind of fault meets every call with every interlude in CI. Elsewhere, it meets every call with one of the
 * interludes.
 */
const STEP = effort(1, BETWEEN.length);

const FAULTS: readonly FaultKind[] = [
  { title: 'dies before', when: 'before', fatal: true },
  { title: 'dies after', when: 'after', fatal: true },
  { title: 'cannot make', when: 'before', fatal: false },
  { title: 'loses the response of', when: 'after', fatal: false },
];

interface Run {
  readonly hit: boolean;
  readonly problems: readonly string[];
}

interface Faultless {
  /** How many calls the operator makes. */
  readonly calls: number;
  readonly problems: readonly string[];
}

async function arrange(scenario: Scenario, recordsFirst: boolean) {
  const bench = new Bench();
  bench.recordsFirst = recordsFirst;
  const foreign = scenario.arrange(bench);
  await bench.settle();
  scenario.act(bench);
  return { bench, foreign };
}

const faultless = new Map<string, Promise<Faultless>>();

/** The run without a fault: up to its fault, every other run of the scenario makes the same calls. */
function runWithoutFault(scenario: Scenario, recordsFirst: boolean): Promise<Faultless> {
  const key = `${scenario.title} ${recordsFirst}`;
  const run = async () => {
    const { bench, foreign } = await arrange(scenario, recordsFirst);
    bench.faults.arm(null);
    await bench.settle();
    return { calls: bench.faults.calls.length, problems: audit(bench, foreign) };
  };
  const known = faultless.get(key) ?? run();
  faultless.set(key, known);
  return known;
}

/** Runs the scenario with the fault at call `at`. */
async function runWithFault(
  scenario: Scenario,
  kind: FaultKind,
  between: Interlude,
  at: number,
  recordsFirst: boolean,
): Promise<Run> {
  const { bench, foreign } = await arrange(scenario, recordsFirst);
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
    if (!(error instanceof Crash)) return { hit, problems: [String(error)] };
    between.act(bench);
    bench.restart();
    try {
      await bench.settle();
    } catch (later) {
      return { hit, problems: [String(later)] };
    }
  }
  return { hit, problems: audit(bench, foreign) };
}

async function everyStep(scenario: Scenario, kind: FaultKind, between: Interlude): Promise<string[]> {
  const problems: string[] = [];
  const first = 1 + ((FAULTS.indexOf(kind) + BETWEEN.indexOf(between)) % STEP);
  // Both orders run where nothing else happens, and one order elsewhere, because there are many runs.
  const orders = between === BETWEEN[0] && STEP === 1 ? [false, true] : [kind.fatal];
  for (const recordsFirst of orders) {
    const { calls, problems: before } = await runWithoutFault(scenario, recordsFirst);
    problems.push(...before);
    if (calls === 0) problems.push('the operator made no call, so no fault was tried');
    for (let at = first; at <= calls; at += STEP) {
      const run = await runWithFault(scenario, kind, between, at, recordsFirst);
      const where = `call ${at}${recordsFirst ? ', records first' : ''}`;
      if (run.problems.length > 0) problems.push(`${where}: ${run.problems.join('; ')}`);
      if (!run.hit) problems.push(`${where}: the operator did not make it, so no fault was tried`);
    }
  }
  return problems;
}

describe.each(SCENARIOS)('while $title', (scenario) => {
  const betweens = BETWEEN.filter(({ title }) => !scenario.without?.includes(title));
  describe.each(betweens)('and $title', (between) => {
    test.each(FAULTS)(
      `while ${scenario.title} and ${between.title}, an operator that $title any call ends with the right state`,
      async (kind) => {
        expect(await everyStep(scenario, kind, between)).toEqual([]);
      },
    );
  });
});
