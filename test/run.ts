// `npm test` runs the gate, and the lanes whose inputs changed. `-- --lanes a,b` names the lanes, `-- --lanes all`
// takes all of them, and `-- --rest` takes the lanes that `npm test` omits. With `-- --dry-run` it only says which ones
// would run. Other arguments go to Vitest; a file that they name runs in any case.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasControlPlane } from '../deploy/local/parts/controlplane-build.ts';
import { changedFiles } from './support/lanes/changed.ts';
import { GATE } from './support/lanes/lanes.ts';
import { planRun, type RunPlan } from './support/lanes/plan.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const TEST = new URL('.', import.meta.url).pathname;
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];

type Counts = { passed: number; failed: number; skipped: number };

async function main(): Promise<number> {
  const files = (await readdir(TEST, { recursive: true })).filter((file) => file.endsWith('.test.ts'));
  let plan: RunPlan;
  try {
    plan = planRun({ args: process.argv.slice(2), files, changes: await changedFiles(ROOT) });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
  process.stdout.write(plan.message);
  if (plan.isDry) return 0;
  // All workers have the same cases, and a failure can say which.
  if (process.env.TEST_SEED === 'random') process.env.TEST_SEED = String(randomInt(2 ** 31));
  if (!plan.gate && plan.lanes.length === 0) {
    process.stdout.write('0 passed, 0 failed\n');
    return 0;
  }
  const isWhole = plan.gate && plan.args.length === 0;
  return isWhole && !hasControlPlane() ? runWhileBuilding(plan) : run(plan, plan.args);
}

/** Unit tests run while Kubernetes compiles, which takes minutes, and the others after it. */
async function runWhileBuilding(plan: RunPlan): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-counts-'));
  try {
    const building = start(['test/support/lanes/build.ts']);
    const first = await run(plan, ['--project', 'unit'], join(folder, 'unit'));
    if ((await building) !== 0) return 1;
    const second = await run(plan, ['--project', '!unit'], join(folder, 'others'));
    const [a, b] = [await readCounts(join(folder, 'unit')), await readCounts(join(folder, 'others'))];
    const skipped = a.skipped + b.skipped;
    process.stdout.write(
      `${a.passed + b.passed} passed, ${a.failed + b.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
    return first || second;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readCounts(file: string): Promise<Counts> {
  const lost: Counts = { passed: 0, failed: 1, skipped: 0 };
  return readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Counts,
    () => lost,
  );
}

function run({ gate, lanes }: RunPlan, args: readonly string[], counts = ''): Promise<number> {
  const names = [...(gate ? [GATE] : []), ...lanes].join(',');
  return start([...VITEST, ...args], { TEST_LANES: names, TEST_COUNTS: counts });
}

/** @returns the exit code; 1 after a signal */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  // Ctrl-C reaches the child by the terminal; it cleans up, and this process waits for it.
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  const ignore = () => undefined;
  process.on('SIGTERM', forward);
  process.on('SIGINT', ignore);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGTERM', forward);
      process.off('SIGINT', ignore);
      resolve(code ?? 1);
    });
  });
}

process.exitCode = await main();
