// Prints the one line that CI reads, `N passed, N failed`, and before it the name of each skipped test. A file that
// does not load and a suite whose setup fails count as failures. The checks (checks.ts) run in parallel with a run that
// contains test/unit/structure.test.ts, and count as one test each. A histogram says how long `expect.poll` waited, and
// a list names the files that took the most processor time.
import { writeFile } from 'node:fs/promises';
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
    let failed = errors.length;
    let skipped = 0;
    const waits: Waits[] = [];
    const times: Record<string, FileTime> = {};
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      const file = module.relativeModuleId.replace(/^test\//, '');
      times[file] = toFileTime(module);
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        const { polls = [] } = test.meta();
        if (polls.length > 0) waits.push({ test: `${module.relativeModuleId} > ${test.fullName}`, polls });
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else {
          skipped += 1;
          this.#print(`skipped: ${module.relativeModuleId} > ${test.fullName}\n`);
        }
      }
    }
    const { TEST_SEED: seed = '' } = process.env;
    if (failed > 0 && seed !== '') this.#print(`TEST_SEED=${seed} has the same random cases again\n`);
    for (const { title, complaint } of await this.#checks) {
      if (complaint === '') passed += 1;
      else {
        failed += 1;
        process.exitCode = 1;
        this.#print(`FAIL ${title}\n${complaint}\n`);
      }
    }
    this.#print(summarizeTimes(times) + summarizePolls(waits));
    await this.#keep(times);
    const { TEST_COUNTS: file = '' } = process.env;
    if (file !== '') await writeFile(file, JSON.stringify({ passed, failed, skipped }));
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    this.#print(`${passed} passed, ${failed} failed${tail}\n`);
  }
}

function toFileTime(module: TestModule): FileTime {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  const wall = (prepareDuration + collectDuration + setupDuration + duration) / 1_000;
  return { tests: [...module.children.allTests()].length, cpu: module.meta().cpu ?? 0, wall };
}
