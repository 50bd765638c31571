// A real Kubernetes node for tests: control plane, kubelet, kube-proxy, containerd, CoreDNS and volumes, in namespaces
// of their own on this machine.
//
// Order: space → certificates → etcd, apiserver and containerd with its images → manager, scheduler, kubelet and
// kube-proxy → node Ready → CoreDNS Ready. It ends with its space.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { archiveImage } from '../../../deploy/image/image.ts';
import { programImage } from '../../../deploy/image/images.ts';
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { isAlive, processIdentity } from '../../../deploy/local/parts/liveness.ts';
import { waitFor } from '../../../deploy/local/parts/wait.ts';
import { COREDNS_IMAGE, coreDns, volumes } from './add-ons.ts';
import { makeIdentities, NODE_NAME, startApiserver, startControllers } from './control-plane.ts';
import { CLUSTER_DNS, startKubelet, startProxy } from './kubelet.ts';
import type { Families } from './networks.ts';
import type { NodePrograms } from './programs.ts';
import { PAUSE_IMAGE, startRuntime } from './runtime.ts';
import { openSpace } from './space.ts';
import type { NodeMarks } from './traces.ts';

const READY_LIMIT_MS = 240_000;
const VOLUMES = 15;
const PREFIX = 'zonestead-node-';
const LEFTOVER = /^zonestead-node-(\d+)_(\d+)-/;
/** A colon would part the folders of an overlay mount (mount(8), overlay). */
const fileName = (identity: string) => identity.replaceAll(':', '_');

export interface TestNode {
  /** The path of the administrator's kubeconfig. */
  kubeconfig: string;
  /** By which its traces on the machine are known. */
  marks: NodeMarks;
  /** The addresses of the host, as pods reach it, that of the cluster's primary family first. */
  hostAddresses: readonly [string, ...string[]];
  /** A kubeconfig for this user and these groups. */
  identity(user: string, groups: string[]): Promise<string>;
  /** Takes in an archive under the names it carries. */
  importImage(file: string): Promise<void>;
  /** Lets it pull from a registry whose certificate this authority signed. @param host with its port */
  trustRegistry(host: string, authorityFile: string): Promise<void>;
  /**
   * Starts to write every TCP packet of the node and of its pods, in whole, except those inside of one pod.
   * @returns the end of the capture
   */
  capture(file: string): Promise<() => Promise<void>>;
  /** Ends everything and removes every trace. Repeating it is fine. */
  stop(): Promise<void>;
}

/** @throws with the end of the log of the part that failed; nothing is left then */
export async function startNode({
  programs,
  families,
  progress,
  signal,
}: {
  programs: NodePrograms;
  families: Families;
  progress: Progress;
  signal: AbortSignal;
}): Promise<TestNode> {
  await removeLeftovers();
  const home = await mkdtemp(join(tmpdir(), `${PREFIX}${fileName(processIdentity(process.pid))}-`));
  const space = await openSpace({ init: join(programs.node, 'pause'), families, stateDir: home, signal });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= space.stop().then(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    return stopping;
  };
  try {
    const identities = await makeIdentities(home, space);
    const plane = { dir: programs.controlPlane, home, identities };
    const parts = await startApiserver(space, plane);
    const runtime = await startRuntime(space, { programs, home, signal });
    const images = join(home, 'images');
    for (const [name, program] of [
      [PAUSE_IMAGE, 'pause'],
      [COREDNS_IMAGE, 'coredns'],
    ] as const) {
      const plan = programImage(name, join(programs.node, program));
      const { file } = await archiveImage([plan], join(images, `${program}.tar`), { progress, signal });
      await runtime.importImage(file);
    }
    const kubeconfig = await identities.kubeconfig('admin', ['system:masters']);
    const kubectl = async (args: readonly string[]) => {
      const command = join(programs.controlPlane, 'kubectl');
      const all = [`--kubeconfig=${kubeconfig}`, ...args];
      const { code, out, tail } = await runCommand({ command, args: all, timeoutMs: READY_LIMIT_MS, signal });
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${tail}`);
      return out;
    };
    const wait = (what: string, check: () => Promise<boolean>) =>
      waitFor(check, { what, timeoutMs: READY_LIMIT_MS, intervalMs: 200, part: [...parts, runtime.part], signal });
    const [etcd, apiserver] = parts;
    await waitFor(async () => (await kubectl(['get', '--raw', '/readyz'])) === 'ok', {
      what: 'kube-apiserver',
      timeoutMs: READY_LIMIT_MS,
      intervalMs: 100,
      part: [apiserver, etcd].filter((part) => part !== undefined),
      signal,
    });
    parts.push(...(await startControllers(space, { ...plane, dir: programs.controllers })));
    const agents = { dir: programs.node, home, socket: runtime.socket, identities };
    parts.push(await startKubelet(space, agents), await startProxy(space, agents));
    const folders = Array.from({ length: VOLUMES }, (_, index) => join(home, 'volumes', String(index)));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const manifest = join(home, 'add-ons.yaml');
    const objects = [...coreDns(space.networks[0].serviceAddress(CLUSTER_DNS)), ...volumes(NODE_NAME, folders)];
    await writeFile(manifest, objects.map((object) => stringify(object)).join('---\n'));
    await kubectl(['apply', '--server-side', '-f', manifest]);
    await wait('the node to be Ready', async () => {
      const path = '-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
      return (await kubectl(['get', 'nodes', path])) === 'True';
    });
    await kubectl(['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=300s']);
    return {
      kubeconfig,
      marks: { home, link: space.link, cgroup: space.cgroup },
      hostAddresses: [space.networks[0].host, ...space.networks.slice(1).map(({ host }) => host)],
      identity: identities.kubeconfig,
      importImage: runtime.importImage,
      capture: async (file) => {
        // -U: nothing waits in a buffer. -Z: it may write into a folder of root.
        const args = ['-i', 'any', '-s', '0', '-U', '-Z', 'root', '-w', file, 'tcp'];
        const logFile = `${file}.log`;
        const part = space.start('tcpdump', programs.tools.tcpdump ?? 'tcpdump', args, { logFile });
        const isListening = async () => (await readFile(logFile, 'utf8').catch(() => '')).includes('listening on');
        await wait('tcpdump', isListening);
        return () => part.stop();
      },
      trustRegistry: runtime.trustRegistry,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Folders of test runs that were killed: all else of theirs the kernel has removed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, started] = LEFTOVER.exec(name) ?? [];
    if (pid === undefined || isAlive(`${pid}:${started}`)) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
