// `up`: start the whole thing, show that it works, stay until Ctrl-C, leave nothing behind.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { untilAborted } from '#base/wait.ts';
import { progressPrinter, serviceLines, stackLines, withoutKubernetes } from './announce.ts';
import { chooseKubeconfig } from './cluster.ts';
import { writeEnvironment } from './environment.ts';
import { showExample } from './example.ts';
import { readUpOptions } from './options.ts';
import { ensureTools } from './parts/apt.ts';
import { isAlive, processIdentity } from './parts/liveness.ts';
import { removePostgresState } from './parts/postgres.ts';
import { writePrograms } from './programs.ts';
import { beginStack, type ServedStack, type Stack, type StartingStack, serveStack } from './stack.ts';
import { reportEnd, whileAllRun } from './while-running.ts';

const STATE = new URL('../../.local', import.meta.url).pathname;

/**
 * @returns the process' exit code: 0 after Ctrl-C, 1 when a part died or Kubernetes did not start. A failure of
 * Kubernetes does not end the DNS side, which has been announced by then. @throws when the DNS side does not come up
 */
export async function runUp(
  given: Record<string, unknown>,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const options = readUpOptions(given, process.env.KUBECONFIG);
  const stateDir = options.state ?? resolve(STATE);
  const since = performance.now();
  // 711: Postgres, which refuses root, must reach its data; secret files in this folder have mode 600.
  await mkdir(stateDir, { recursive: true });
  await chmod(stateDir, 0o711);
  await claim(stateDir);
  try {
    if (options.fresh) await forget(stateDir);
    const tools = await ensureTools([{ command: 'dig', package: 'bind9-dnsutils' }], { progress: print, signal });
    const kubernetes = !options.withoutKubernetes;
    print(`starting Postgres, ${kubernetes ? 'Kubernetes, ' : ''}api, name servers${kubernetes ? ', operator' : ''}`);
    const { progress, quiet } = progressPrinter(print, () => performance.now());
    const settings = { ...options, stateDir, limits: options.limits === 'on', progress, signal };
    const starting = await (kubernetes ? beginStack(settings) : serveStack(settings));
    try {
      const seconds = () => (performance.now() - since) / 1000;
      const show = (lines: string[]) => {
        for (const line of lines) print(line);
      };
      const { service } = starting;
      const kubeconfig = chooseKubeconfig(stateDir, options.kubeconfig);
      await writeEnvironment(stateDir, { service, kubeconfig });
      await writePrograms(stateDir);
      quiet();
      show(serviceLines(service, stateDir, seconds(), kubernetes));
      const work = async (stack: Stack, until: AbortSignal) => {
        await writeEnvironment(stateDir, { service, kubeconfig, issuance: stack.issuance });
        const tell = (line: string) => (until.aborted ? undefined : print(line));
        if (!options.empty) await showExample(stack, tools.dig as string, tell, until);
        show(stackLines(stack, stateDir, seconds()));
        await untilAborted(until);
      };
      return await runStages(starting, work, print, signal);
    } finally {
      print('stopping');
      await starting.stop();
    }
  } finally {
    await rm(join(stateDir, 'up.pid'), { force: true });
  }
}

/** First while only the DNS side runs, then `work` while all runs. @returns the exit code of the process */
async function runStages(
  starting: ServedStack | StartingStack,
  work: (stack: Stack, until: AbortSignal) => Promise<void>,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const served = starting.service.running.parts();
  let stack: Stack | undefined;
  let code = 0;
  const first = async (until: AbortSignal) => {
    if ('complete' in starting) stack = await starting.complete;
    else await untilAborted(until);
  };
  let ended = await whileAllRun(served, first, signal).catch((error: Error) => {
    for (const line of withoutKubernetes(error.message)) print(line);
    code = 1;
    return whileAllRun(served, untilAborted, signal);
  });
  const all = stack;
  if (ended === null && all !== undefined && !signal.aborted)
    ended = await whileAllRun(all.parts(), (until) => work(all, until), signal);
  if (ended === null) return code;
  await reportEnd(ended, print);
  return 1;
}

/** One `up` per state folder. @throws when another one is running */
async function claim(stateDir: string): Promise<void> {
  const file = join(stateDir, 'up.pid');
  const holder = await readFile(file, 'utf8').catch(() => '');
  if (holder !== '' && isAlive(holder)) {
    throw new Error(`another "up" of this folder is running (pid ${holder.split(':')[0]}); stop it first`);
  }
  await writeFile(file, processIdentity(process.pid));
}

/** Everything but the claim, and the ports: a fresh start keeps its addresses. */
async function forget(stateDir: string): Promise<void> {
  await removePostgresState(stateDir);
  for (const name of [
    'secrets.json',
    'env',
    'bin',
    'nodes',
    'controlplane',
    'api.log',
    'operator.log',
    'solver',
    'solver.log',
    'certmanager',
    'pebble',
  ]) {
    await rm(join(stateDir, name), { recursive: true, force: true });
  }
}
