// The whole chain for one end-to-end test file: every part a real process, in a folder of its own, with what a user has:
// kubectl, HTTP, dig and delv.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { runCommand } from '../../src/cli/up/parts/commands.ts';
import { removePostgresState } from '../../src/cli/up/parts/postgres.ts';
import { type Stack, startStack } from '../../src/cli/up/stack.ts';
import { type Client, createClient } from '../../src/client/client.ts';

export interface TestStack {
  stack: Stack;
  /** With the key of the first team. */
  client: Client;
  /** For what runs on, such as a watch. */
  kubectlPath: string;
  /** Any kubectl command; objects go in as JSON through a file. @throws with kubectl's words */
  kubectl(...args: string[]): Promise<string>;
  /** `kubectl apply` of these objects; gives what kubectl said, also when it refused. */
  apply(...objects: object[]): Promise<{ ok: boolean; words: string }>;
  /** `kubectl apply -f` of YAML, in a namespace. @throws with kubectl's words */
  applyText(namespace: string, yaml: string): Promise<void>;
  /** What the API server would say: all of kubectl's words, warnings included. */
  dryRun(...objects: object[]): Promise<{ ok: boolean; words: string }>;
  /** Waits for Ready of all of these, at most `seconds`. */
  ready(seconds: number, ...names: string[]): Promise<void>;
  condition(name: string, type: string): Promise<{ status: string; reason: string; message: string } | undefined>;
  /** The answer section, a line a record, without signatures; sorted. */
  dig(name: string, type: string, ...options: string[]): Promise<string[]>;
  /** The code of the answer: NOERROR, NXDOMAIN, … */
  rcode(name: string, type: string): Promise<string>;
  /** The first line of delv's verdict, with the zone's DS as trust anchor. */
  delv(zone: string, name: string, type: string): Promise<string>;
  stop(): Promise<void>;
}

const { signal } = new AbortController();

export interface TestStackOptions {
  limits?: boolean;
  certManager?: boolean;
  /** As startStack has them. */
  settings?: Record<string, string>;
  postgresPrograms?: string;
}

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-e2e-'));
  // Postgres, which refuses root, must get through to its data.
  await chmod(stateDir, 0o711);
  const stack = await startStack({
    stateDir,
    limits: options.limits ?? false,
    certManager: options.certManager ?? false,
    durable: false,
    settings: options.settings,
    postgresPrograms: options.postgresPrograms,
    progress: () => {},
    signal,
  });
  const tools = inject('tools');
  const { service, cluster } = stack;
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  const at = [`@${service.dns.address}`, '-p', String(service.dns.port)];
  const run = async (command: string, args: string[]) => runCommand({ command, args, timeoutMs: 60_000, signal });
  const kubectlPath = join(stateDir, 'bin', 'kubectl');
  const kube = (args: string[]) => run(kubectlPath, [`--kubeconfig=${cluster.kubeconfig}`, ...args]);
  let files = 0;

  const kubectl = async (...args: string[]) => {
    const { code, out, tail } = await kube(args);
    if (code !== 0) throw new Error(tail);
    return out;
  };
  const write = async (text: string) => {
    files += 1;
    const file = join(stateDir, `apply-${files}`);
    await writeFile(file, text);
    return file;
  };
  const listOf = (objects: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const dig = async (name: string, type: string, ...more: string[]) => {
    const { out } = await run(tools.dig, [...at, '+norecurse', '+noall', '+answer', ...more, name, type]);
    return out
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';') && !/\sRRSIG\s/.test(line))
      .map((line) => line.replace(/\s+/g, ' '))
      .sort();
  };
  return {
    stack,
    client,
    kubectlPath,
    kubectl,
    apply: async (...objects) => {
      const { code, out, tail } = await kube(['apply', '-f', await write(listOf(objects))]);
      return { ok: code === 0, words: code === 0 ? out : tail };
    },
    applyText: async (namespace, yaml) => {
      await kubectl('-n', namespace, 'apply', '-f', await write(yaml));
    },
    dryRun: async (...objects) => {
      const { code, tail } = await kube(['apply', '--dry-run=server', '-f', await write(listOf(objects))]);
      return { ok: code === 0, words: tail };
    },
    ready: async (seconds, ...names) => {
      await kubectl('wait', '--for=condition=Ready', `--timeout=${seconds}s`, ...names);
    },
    condition: async (name, type) => {
      const text = await kubectl('get', name, '-o', 'json');
      return JSON.parse(text).status?.conditions?.find((condition: { type: string }) => condition.type === type);
    },
    dig,
    rcode: async (name, type) => {
      const { out } = await run(tools.dig, [...at, '+norecurse', name, type]);
      return /status: ([A-Z]+)/.exec(out)?.[1] ?? 'no answer';
    },
    delv: async (zone, name, type) => {
      const [found] = await client.zones.list({ zoneName: zone });
      const [ds] = await client.zones.ds(found?.id ?? '');
      const anchor = join(stateDir, `anchor-${zone}`);
      const text = `trust-anchors { ${zone}. static-ds ${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} "${ds?.digest}"; };\n`;
      await writeFile(anchor, text);
      const { out, tail } = await run(tools.delv, [...at, '-a', anchor, `+root=${zone}`, name, type]);
      return /^; (negative response, )?(fully validated|unsigned answer)/m.exec(`${out}\n${tail}`)?.[0] ?? tail;
    },
    stop: async () => {
      await client.close();
      await stack.stop();
      await removePostgresState(stateDir);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

export function zoneObject(name: string, zoneName: string, spec: object = {}, namespace = 'default'): object {
  return {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSZone',
    metadata: { name, namespace },
    spec: { zoneName, ...spec },
  };
}

export function recordObject(name: string, zone: string, spec: object, namespace = 'default'): object {
  const metadata = { name, namespace };
  return {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSRecord',
    metadata,
    spec: { zoneRef: { name: zone }, ...spec },
  };
}
