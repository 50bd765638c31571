// Prints the one line that CI reads, `N passed, N failed`, and before it the name of each skipped test, and the name
// and error of each failure. A file that does not load and a suite whose setup fails count as failures. The checks
// (checks.ts) run in parallel with a run that contains test/unit/structure.test.ts, and count as one test each. A
// histogram says how long `expect.poll` waited, and a list names the files that took the most processor time.
import { writeFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';
import { type CheckResult, runChecks } from './checks.ts';
import { type FileTime, type FileTimes, keepTimes, summarizeTimes } from './file-times.ts';
import { summarizePolls, type Waits } from './poll-times.ts';

const WITH_CHECKS = /\/test\/unit\/structure\.test\.ts$/;

export default class ClosingLine implements Reporter {
  readonly #run: () => Promise<CheckResult[]>;
  readonly #print: (text: string) => void;
  readonly #keep: (times: FileTimes) => Promise<void>;
  #checks: Promise<CheckResult[]> = Promise.resolve([]);

  /** Vitest gives its options, which are none. @param run, print, keep for the test of this file */
  constructor(
    _options?: unknown,
    run: () => Promise<CheckResult[]> = runChecks,
    print: (text: string) => void = (text) => void process.stdout.write(text),
    keep: (times: FileTimes) => Promise<void> = keepTimes,
  ) {
    this.#run = run;
    this.#print = print;
    this.#keep = keep;
  }

  onTestRunStart(specifications: ReadonlyArray<Pick<TestSpecification, 'moduleId'>>): void {
    if (specifications.some(({ moduleId }) => WITH_CHECKS.test(moduleId))) this.#checks = this.#run();
  }

  async onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): Promise<void> {
    let passed = 0;
    const failures = errors.map((error) => ({ name: 'outside of the tests', error: error as Failure }));
    let skipped = 0;
    const waits: Waits[] = [];
    const times: Record<string, FileTime> = {};
    for (const module of modules) {
      failures.push(...firstError(module.relativeModuleId, module.errors()));
      const file = module.relativeModuleId.replace(/^test\//, '');
      times[file] = toFileTime(module);
      for (const suite of module.children.allSuites()) {
        failures.push(...firstError(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors()));
      }
      for (const test of module.children.allTests()) {
        const { state, errors: found } = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        const { polls = [] } = test.meta();
        if (polls.length > 0) waits.push({ test: name, polls });
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failures.push({ name, error: found?.[0] });
        else {
          skipped += 1;
          this.#print(`skipped: ${name}\n`);
        }
      }
    }
    const { TEST_SEED: seed = '' } = process.env;
    if (failures.length > 0 && seed !== '') this.#print(`TEST_SEED=${seed} has the same random cases again\n`);
    for (const { title, complaint } of await this.#checks) {
      if (complaint === '') passed += 1;
      else {
        failures.push({ name: title, error: { message: complaint } });
        process.exitCode = 1;
        this.#print(`FAIL ${title}\n${complaint}\n`);
      }
    }
    this.#print(summarizeTimes(times) + summarizePolls(waits));
    await this.#keep(times);
    for (const { name, error } of failures) this.#print(`failed: ${name}: ${summarizeError(error)}\n`);
    const failed = failures.length;
    const { TEST_COUNTS: file = '' } = process.env;
    if (file !== '') await writeFile(file, JSON.stringify({ passed, failed, skipped }));
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    this.#print(`${passed} passed, ${failed} failed${tail}\n`);
  }
}

type Failure = { message?: string } | undefined;

/** A set-up that fails counts once, however many errors it has. */
function firstError(name: string, errors: readonly Failure[]): { name: string; error: Failure }[] {
  return errors.length > 0 ? [{ name, error: errors[0] }] : [];
}

/** One line of at most 300 characters without colours: a run in CI repeats it at its end. */
function summarizeError(error: Failure): string {
  const text = stripVTControlCharacters(String(error?.message ?? error ?? 'no error'))
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function toFileTime(module: TestModule): FileTime {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  const wall = (prepareDuration + collectDuration + setupDuration + duration) / 1_000;
  return { tests: [...module.children.allTests()].length, cpu: module.meta().cpu ?? 0, wall };
}
