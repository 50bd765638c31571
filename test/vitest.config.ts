// Vitest's configuration: four projects (unit, integration, e2e, node) in one run, and the closing line that CI reads.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { cacheRoot } from '../deploy/local/parts/cache.ts';
import { chosenLanes, patternsFor } from './support/lanes/chosen.ts';
import { LongestFirst } from './support/runner/sequencer.ts';

/**
 * Files of these projects share the modules of their worker: no module of ours has a state that one could leave to the
 * next.
 */
const SHARED_MODULES = { isolate: false };
/** Random tests begin at the same place in each run. */
const MEASURED = ['test/support/runner/measure-cpu.ts', 'test/support/runner/measure-polls.ts'];
const EVERY_FILE = ['test/support/runner/end-of-file.ts', ...MEASURED];
const SEEDED = { setupFiles: ['test/support/runner/random-tests.ts', ...EVERY_FILE] };
const shared = {
  environment: 'node' as const,
  setupFiles: EVERY_FILE,
  // Tests usually wait for milliseconds, but longer on a busy machine.
  expect: { poll: { timeout: 60_000, interval: 20 } },
};
/** Many times what a test takes on a quiet machine: it finds tests that hang, and not machines that are busy. */
const hangsAfter = (limitMs: number) => ({ testTimeout: limitMs, hookTimeout: limitMs });

/**
 * In these projects a question is a request to another process, or a program such as dig; several processes do the
 * work.
 */
const SELDOM = { poll: { timeout: 100_000, interval: 100 } };

const chosen = chosenLanes();

/**
 * On real pods: Linux and root, or a cluster that KUBECONFIG names. CI must run it: there a machine without is a
 * failure.
 */
const node = {
  extends: true as const,
  test: {
    ...shared,
    expect: SELDOM,
    testTimeout: 900_000,
    hookTimeout: 1_800_000,
    name: 'node',
    ...patternsFor('test/e2e/node/', chosen),
    globalSetup: ['test/support/kubelet/setup.ts'],
  },
};
const { KUBECONFIG = '', CI = '' } = process.env;
// A test run is limited by processors, not by memory: Go's parts (kube-apiserver above all) collect their garbage less
// often.
process.env.GOGC ??= '400';
process.env.GOMEMLIMIT ??= '900MiB';
// Some hundred processes of ours and of the tests load the same modules.
process.env.NODE_COMPILE_CACHE ??= join(cacheRoot(), 'compiled');
const realPods = (process.platform === 'linux' && process.getuid?.() === 0) || KUBECONFIG !== '' || CI !== '';
if (!realPods && chosen.lanes.includes('chart')) {
  process.stderr.write('Without the tests on real pods: they need Linux and root, or KUBECONFIG with our images.\n');
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    reporters: ['default', new URL('./support/runner/reporter.ts', import.meta.url).pathname],
    // For two cores: while one file waits for its real parts, the other files continue. With four workers, name servers
    // of the real node were starved, and a rollback under load lost queries.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          ...hangsAfter(60_000),
          name: 'unit',
          ...SHARED_MODULES,
          ...SEEDED,
          ...patternsFor('test/unit/', chosen),
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          ...hangsAfter(120_000),
          name: 'integration',
          ...SHARED_MODULES,
          ...SEEDED,
          ...patternsFor('test/integration/', chosen),
          globalSetup: ['test/support/runner/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          expect: SELDOM,
          ...hangsAfter(400_000),
          name: 'e2e',
          ...patternsFor('test/e2e/', chosen, ['test/e2e/node/**']),
          globalSetup: ['test/support/runner/setup.ts'],
        },
      },
      ...(realPods ? [node] : []),
    ],
  },
});
