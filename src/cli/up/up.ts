// `up`: start the whole thing, show that it works, stay until Ctrl-C, leave nothing behind.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { writeEnvironment } from './environment.ts';
import { showExample } from './example.ts';
import { readUpOptions } from './options.ts';
import { ensureTools } from './parts/apt.ts';
import { isAlive, processIdentity } from './parts/liveness.ts';
import type { Part } from './parts/part.ts';
import { removePostgresState } from './parts/postgres.ts';
import { type Stack, startStack } from './stack.ts';

const STATE = new URL('../../../.local', import.meta.url).pathname;
const TAIL_LINES = 20;

/** @returns the process' exit code: 0 after Ctrl-C, 1 when a part died. @throws when something does not come up */
export async function runUp(
  given: Record<string, unknown>,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const options = readUpOptions(given, process.env.KUBECONFIG);
  const stateDir = options.state ?? resolve(STATE);
  const since = performance.now();
  // 711: Postgres, which refuses root, must get through to its data; what is secret in here has mode 600.
  await mkdir(stateDir, { recursive: true });
  await chmod(stateDir, 0o711);
  await claim(stateDir);
  try {
    if (options.fresh) await forget(stateDir);
    const tools = await ensureTools([{ command: 'dig', package: 'bind9-dnsutils' }], { progress: print, signal });
    print('starting Postgres, PowerDNS, Kubernetes, api, nameserver, operator');
    const { kubeconfig, apiPort, dnsPort } = options;
    const stack = await startStack({
      stateDir,
      limits: options.limits === 'on',
      certManager: options.certManager,
      kubeconfig,
      apiPort,
      dnsPort,
      progress: print,
      signal,
    });
    try {
      await writeEnvironment(stateDir, stack);
      if (!options.empty) await showExample(stack, tools.dig as string, print, signal);
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      print(
        `ready after ${seconds} s: API ${stack.service.url}/v1/dns, DNS ${stack.service.dns.address}:${stack.service.dns.port}.`,
      );
      if (stack.issuance) {
        print(`ACME directory ${stack.issuance.pebble.url}; try kubectl apply -f deploy/examples/certificate.yaml.`);
      }
      print(`Console: ${stack.service.url}/console/, to sign in with ZONESTEAD_PERSON_KEY of the file below.`);
      print(
        `In another shell: source ${relative(process.cwd(), join(stateDir, 'env'))}; then kubectl, curl and dig work. Ctrl-C stops everything.`,
      );
      return await stay(stack, print, signal);
    } finally {
      print('stopping');
      await stack.stop();
    }
  } finally {
    await rm(join(stateDir, 'up.pid'), { force: true });
  }
}

/** Until Ctrl-C, or until a part ends by itself. */
async function stay(stack: Stack, print: (line: string) => void, signal: AbortSignal): Promise<number> {
  const stopped = new Promise<null>((done) => {
    if (signal.aborted) done(null);
    else signal.addEventListener('abort', () => done(null), { once: true });
  });
  const died = stack.parts().map(async (part): Promise<Part> => {
    await part.exited;
    return part;
  });
  const part = await Promise.race([stopped, ...died]);
  if (part === null) return 0;
  const { code, signal: by } = await part.exited;
  print(`${part.name} ended by itself (${by ?? `code ${code}`}); the end of its log:`);
  for (const line of (await part.tail(TAIL_LINES)).split('\n')) print(`  ${line}`);
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
    'powerdns',
    'controlplane',
    'api.log',
    'nameserver.log',
    'operator.log',
    'solver',
    'solver.log',
    'certmanager',
    'pebble',
  ]) {
    await rm(join(stateDir, name), { recursive: true, force: true });
  }
}
