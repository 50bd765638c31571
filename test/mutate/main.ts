// `npm run mutate`: applies the faults of faults/ one at a time in a temporary copy of the checkout, runs the tests
// that must notice each, and tells which faults survived. It is not part of `npm test`.
//
//   npm run mutate                      all faults
//   npm run mutate -- client- ns-poll   faults whose names begin like this
//   npm run mutate -- --list            names and the promise that each breaks
//   npm run mutate -- --minutes 10      ends after 10 minutes (default: 60)
//
// Exits with 0 when every fault was killed, with 1 when one survived, was not judged, or no longer applies to the code.
import { parseArgs } from 'node:util';
import { DoesNotApply, type Fault } from './fault.ts';
import { FAULTS } from './faults/index.ts';
import { judge, type Verdict } from './verdict.ts';
import { runTests } from './vitest-run.ts';
import { copyCheckout, type Workspace } from './workspace.ts';

const CHECKOUT = new URL('../..', import.meta.url).pathname;
/** For the tests of one fault. */
const LIMIT_MS = 6 * 60_000;
const DEFAULT_MINUTES = '60';

type Result = Verdict | { readonly kind: 'stale'; readonly why: string };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { list: { type: 'boolean' }, minutes: { type: 'string', default: DEFAULT_MINUTES } },
    allowPositionals: true,
  });
  const chosen = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.some((p) => name.startsWith(p)));
  if (chosen.length === 0) throw new Error(`no fault has a name that begins with ${positionals.join(' or ')}`);
  if (values.list) {
    for (const { name, breaks } of chosen) print(`${name}: ${breaks}`);
    return 0;
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);
  const end = AbortSignal.any([AbortSignal.timeout(minutes * 60_000), untilInterrupted()]);
  const workspace = await copyCheckout(CHECKOUT);
  try {
    return await runAll(workspace, chosen, end);
  } finally {
    await workspace.remove();
  }
}

async function runAll(workspace: Workspace, faults: readonly Fault[], signal: AbortSignal): Promise<number> {
  let killed = 0;
  const problems: string[] = [];
  const clean = new Map<string, Verdict>();
  for (const [index, fault] of faults.entries()) {
    const began = performance.now();
    const result: Result = signal.aborted
      ? { kind: 'unjudged', why: 'the run exceeded its time limit, or was interrupted' }
      : await tryFault(workspace, fault, clean, signal);
    const took = Math.round((performance.now() - began) / 1000);
    const line = `${fault.name}: ${describeResult(result)}`;
    if (result.kind === 'killed') killed += 1;
    else problems.push(`${line} (${fault.breaks})`);
    print(`${index + 1}/${faults.length} ${line} [${took} s]`);
  }
  for (const problem of problems) print(problem);
  print(`${killed} of ${faults.length} faults killed, score ${Math.floor((killed / faults.length) * 100)} %`);
  return problems.length === 0 ? 0 : 1;
}

async function tryFault(
  workspace: Workspace,
  fault: Fault,
  clean: Map<string, Verdict>,
  signal: AbortSignal,
): Promise<Result> {
  const { project, tests, ignore } = fault;
  const look = async (bail: boolean): Promise<Verdict> => {
    const run = { root: workspace.root, project, tests, ignore, bail, limitMs: LIMIT_MS };
    const { report, tail, isLate } = await runTests(run, signal);
    if (isLate) return { kind: 'unjudged', why: `its tests did not end within ${LIMIT_MS / 1000} s` };
    return report === null ? { kind: 'unjudged', why: `no report of vitest: ${tail}` } : judge(report);
  };
  try {
    const verdict = await workspace.with(fault, () => look(true));
    if (verdict.kind !== 'killed') return verdict;
    // A test that fails without the fault as well has noticed nothing.
    const key = JSON.stringify([project, tests, ignore]);
    const without = clean.get(key) ?? (await look(false));
    clean.set(key, without);
    if (without.kind === 'survived') return verdict;
    return { kind: 'unjudged', why: `without the fault the tests do not pass: ${describeResult(without)}` };
  } catch (error) {
    if (error instanceof DoesNotApply) return { kind: 'stale', why: error.message };
    throw error;
  }
}

function describeResult(result: Result): string {
  switch (result.kind) {
    case 'killed':
      return `killed by "${result.by}"`;
    case 'survived':
      return `SURVIVED ${result.passed} tests`;
    case 'unjudged':
      return `NOT JUDGED: ${result.why}`;
    case 'stale':
      return `DOES NOT APPLY: ${result.why}`;
  }
}

function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`mutate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
