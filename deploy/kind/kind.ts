// The command `kind`: a kind cluster with our images, cert-manager and the chart, for people who have a container
// engine.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveImage, buildImage } from '../image/image.ts';
import { IMAGES, type ImageName, PEBBLE_IMAGE, programImage } from '../image/images.ts';
import { findParts, PROJECT } from '../image/parts.ts';
import type { Progress } from '../local/parts/cache.ts';
import { askOnly } from '../local/parts/certmanager.ts';
import { CERT_MANAGER_MANIFESTS, ensureCertManager } from '../local/parts/certmanager-build.ts';
import { findCommand, runCommand } from '../local/parts/commands.ts';
import { downloadPinned } from '../local/parts/pinned-download.ts';

/** In the order of preference, with what kind wants to hear when it is not docker. */
const ENGINES = ['docker', 'podman', 'nerdctl'] as const;
const CLUSTER = 'zonestead';
const CONTEXT = `kind-${CLUSTER}`;
/** In the range that deploy/kind/cluster.yaml gives to Services. */
const SERVICES = '10.96.0.0/16';
const DNS_ADDRESS = '10.96.0.53';
const LIMIT_MS = 15 * 60_000;
const ENGINE_LIMIT_MS = 20_000;

/** Each step as the program and its arguments: the steps of `npm run kind`, in order, once the images are built. */
export function kindSteps(archives: readonly string[], certManager: string): string[][] {
  const there = ['--kube-context', CONTEXT];
  const kubectl = ['kubectl', '--context', CONTEXT];
  const rollout = [...kubectl, '-n', 'cert-manager', 'rollout', 'status', 'deployment', '--timeout=5m'];
  // To the arguments it has.
  const added = askOnly(`${DNS_ADDRESS}:53`).map((value) => ({
    op: 'add',
    path: '/spec/template/spec/containers/0/args/-',
    value,
  }));
  const patch = ['patch', 'deployment', 'cert-manager', '--type=json', `--patch=${JSON.stringify(added)}`];
  return [
    ['kind', 'create', 'cluster', '--config', join(PROJECT, 'deploy/kind/cluster.yaml'), '--wait', '3m'],
    ...archives.map((file) => ['kind', 'load', 'image-archive', file, '--name', CLUSTER]),
    [...kubectl, 'apply', '--server-side', '-f', certManager],
    [...kubectl, '-n', 'cert-manager', ...patch],
    rollout,
    ['helm', 'upgrade', '--install', ...there, '-n', 'zonestead', '--create-namespace'].concat([
      ...['zonestead', join(PROJECT, 'charts/zonestead'), '--wait', '--timeout=5m'],
      `--set=dns.service.clusterIP=${DNS_ADDRESS}`,
    ]),
  ];
}

/**
 * The missing programs, or the engines that do not answer, as text; undefined if kind can run.
 * @param engine the container engine that answers
 * @param silent those that are installed and do not answer
 */
export function missingForKind(
  engine: string | undefined,
  find: (name: string) => string | undefined,
  silent: readonly SilentEngine[] = [],
): string | undefined {
  if (engine === undefined && silent.length > 0)
    return silent
      .map(
        ({ name, words }) =>
          `${name} is installed, but its daemon does not answer: ${words.replace(/[.?]+$/, '')}. Start it.`,
      )
      .join('\n');
  if (engine === undefined) {
    return `no container engine (${ENGINES.join(', ')}): kind cannot run here; npm test proves the chart on a node of its own`;
  }
  const missing = ['kind', 'kubectl', 'helm'].filter((name) => find(name) === undefined);
  return missing.length === 0 ? undefined : `missing: ${missing.join(', ')}`;
}

/** @returns the exit code: 1 when a program is missing. @throws with the words of the step that failed */
export async function runKind(print: Progress, signal: AbortSignal): Promise<number> {
  const { engine, silent } = await findEngine(signal);
  const missing = missingForKind(engine, findCommand, silent);
  if (missing !== undefined) {
    print(missing);
    return 1;
  }
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-kind-'));
  try {
    const archives: string[] = [];
    const parts = await findParts({ progress: print, signal });
    for (const name of Object.keys(IMAGES) as ImageName[]) {
      print(`building image ${name}`);
      archives.push((await buildImage(name, [parts], folder, { progress: print, signal })).file);
    }
    print('building image pebble');
    const { dir } = await ensureCertManager({ progress: print, signal });
    const pebble = programImage(PEBBLE_IMAGE, join(dir, 'pebble'));
    archives.push((await archiveImage([pebble], join(folder, 'pebble.tar'), { progress: print, signal })).file);
    const certManager = join(folder, 'cert-manager.yaml');
    print(`downloading ${CERT_MANAGER_MANIFESTS.url}`);
    await downloadPinned(CERT_MANAGER_MANIFESTS, certManager, { progress: print, signal });
    for (const [command, ...args] of kindSteps(archives, certManager)) {
      print(`${command} ${args.join(' ')}`);
      const onLine = (line: string) => print(`  ${line}`);
      // kind tries docker first; this variable names another engine, and env(1) adds it to our environment.
      const provider = command === 'kind' && engine !== 'docker' ? ['env', `KIND_EXPERIMENTAL_PROVIDER=${engine}`] : [];
      const [program, ...rest] = [...provider, command as string, ...args];
      const result = await runCommand({ command: program as string, args: rest, onLine, timeoutMs: LIMIT_MS, signal });
      if (result.code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed (code ${result.code})`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(`ready: kubectl --context ${CONTEXT} -n zonestead get all`);
  const node = `$(${engine} inspect -f '{{.NetworkSettings.Networks.kind.IPAddress}}' ${CLUSTER}-control-plane)`;
  print(`Services are reached from here, on Linux, with: ip route add ${SERVICES} via ${node}`);
  print(
    `the tests against it: kind get kubeconfig --name ${CLUSTER} > kubeconfig && KUBECONFIG=$PWD/kubeconfig npm test -- --project node`,
  );
  return 0;
}

/** An engine that is installed and does not answer, with the end of its words. */
interface SilentEngine {
  name: string;
  words: string;
}

/** The first engine that answers: the daemon of an installed one may be stopped. */
async function findEngine(signal: AbortSignal): Promise<{ engine: string | undefined; silent: SilentEngine[] }> {
  const silent: SilentEngine[] = [];
  for (const engine of ENGINES) {
    const command = findCommand(engine);
    if (command === undefined) continue;
    const { code, tail } = await runCommand({ command, args: ['info'], timeoutMs: ENGINE_LIMIT_MS, signal });
    if (code === 0) return { engine, silent };
    silent.push({ name: engine, words: tail.trim().split('\n').at(-1) ?? '' });
  }
  return { engine: undefined, silent };
}
