// `up`: start the whole thing, show that it works, stay until Ctrl-C, leave nothing behind.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { untilAborted } from '#base/wait.ts';
import { writeEnvironment } from './environment.ts';
import { showExample } from './example.ts';
import { readUpOptions } from './options.ts';
import { ensureTools } from './parts/apt.ts';
import { isAlive, processIdentity } from './parts/liveness.ts';
import { removePostgresState } from './parts/postgres.ts';
import { type Stack, startStack } from './stack.ts';
import { reportEnd, whileAllRun } from './while-running.ts';

const STATE = new URL('../../.local', import.meta.url).pathname;

/** @returns the process' exit code: 0 after Ctrl-C, 1 when a part died. @throws when something does not come up */
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
    print('starting Postgres, Kubernetes, api, name servers, operator');
    const { kubeconfig, apiPort, dnsPort, nodes } = options;
    const stack = await startStack({
      stateDir,
      limits: options.limits === 'on',
      certManager: options.certManager,
      kubeconfig,
      apiPort,
      dnsPort,
      nodes,
      progress: print,
      signal,
    });
    try {
      const work = async (until: AbortSignal) => {
        await writeEnvironment(stateDir, stack);
        const tell = (line: string) => (until.aborted ? undefined : print(line));
        if (!options.empty) await showExample(stack, tools.dig as string, tell, until);
        announce(stack, stateDir, (performance.now() - since) / 1000, print);
        await untilAborted(until);
      };
      const ended = await whileAllRun(stack.parts(), work, signal);
      if (ended === null) return 0;
      await reportEnd(ended, print);
      return 1;
    } finally {
      print('stopping');
      await stack.stop();
    }
  } finally {
    await rm(join(stateDir, 'up.pid'), { force: true });
  }
}

function announce(
  { service, issuance }: Stack,
  stateDir: string,
  seconds: number,
  print: (line: string) => void,
): void {
  const { url, nameServers, updates } = service;
  const dns = nameServers.map(({ address, port }) => `${address}:${port}`).join(', ');
  print(`ready after ${seconds.toFixed(1)} s: API ${url}/v1/dns, DNS ${dns}.`);
  if (issuance) {
    print(`ACME directory ${issuance.pebble.url}; try kubectl apply -f deploy/examples/certificate.yaml.`);
  }
  if (updates !== null) print(`DNS updates: ${updates}, with a key of zonestead keys mint --tsig.`);
  print(`Console: ${url}/console/, to sign in with ZONESTEAD_PERSON_KEY of the file below.`);
  print(
    `In another shell: source ${relative(process.cwd(), join(stateDir, 'env'))}; then kubectl, curl and dig work. Ctrl-C stops everything.`,
  );
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
