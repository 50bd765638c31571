// The whole chain for one end-to-end test file: every part a real process, in a folder of its own, with the tools of a
// user: the API server, kubectl, HTTP, dig and delv.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Client, createClient } from '#client/client.ts';
import { fetchZones } from '#client/lists.ts';
import { listDsRecords } from '#contract/operations/zones.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { type Stack, type StackOptions, startStack } from '../../../deploy/local/stack.ts';
import { findConditionOfType, kubectlWaitIsOver, type Watched } from '../kube/kstatus.ts';
import { type ByName, type KubeUser, kubeUser } from '../kube/kube-user.ts';

export interface TestStack {
  stack: Stack;
  /** With the key of the first team. */
  client: Client;
  /** The API server, as an administrator. */
  kube: KubeUser;
  /** For a program that runs on, such as a watch. */
  kubectlPath: string;
  /**
   * Any kubectl command. Use it where its words are the point: a process costs more than a call. @throws with its words
   */
  kubectl(...args: string[]): Promise<string>;
  /** Applies all of these objects; gives the words of the API server when it refuses one. */
  apply(...objects: object[]): Promise<{ ok: boolean; words: string }>;
  /** `kubectl apply` of these objects. @returns its words @throws with its words */
  applyByKubectl(...objects: object[]): Promise<string>;
  /** `kubectl apply -f` of YAML, in a namespace. @throws with kubectl's words */
  applyText(namespace: string, yaml: string): Promise<void>;
  /**
   * Waits until all of these are Ready for their newest generation, as `kubectl wait` does, at most 120 s.
   * @param names such as `zdr/www`; `-n` before a namespace. (Default: namespace default.)
   */
  ready(...names: string[]): Promise<void>;
  condition(name: string, type: string, namespace?: string): Promise<ConditionSeen | undefined>;
  /** Deletes these and waits until they are gone, at most 120 s. */
  remove(namespace: string, ...names: string[]): Promise<void>;
  /** Deletes all records, then all zones of a namespace, and waits until they are gone, at most 120 s. */
  removeAll(namespace: string): Promise<void>;
  /** Events of a namespace, as `Warning Drift dnsrecord/www: the note`. */
  events(namespace?: string): Promise<string[]>;
  /** The answer section, a line a record, without signatures; sorted. */
  dig(name: string, type: string, ...options: string[]): Promise<string[]>;
  /** The code of the answer: NOERROR, NXDOMAIN, … */
  rcode(name: string, type: string): Promise<string>;
  /** The first line of delv's verdict, with the zone's DS as trust anchor. */
  delv(zone: string, name: string, type: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ConditionSeen {
  status: string;
  reason: string;
  message: string;
}

interface EventSeen {
  type: string;
  reason: string;
  note: string;
  regarding: { kind: string; name: string };
}

const { signal } = new AbortController();
/** Only ends what hangs, on a machine of any speed. */
const LIMIT_SECONDS = 120;

export interface TestStackOptions {
  limits?: boolean;
  certManager?: boolean;
  /** Postgres writes as it does in production. For tests that kill it. (Default: false.) */
  durable?: boolean;
  /** The number of name servers. (Default: 1.) */
  nodes?: number;
  /** As startStack has them. */
  nameservers?: string;
  /** As startStack has them. */
  settings?: Record<string, string>;
  postgresPrograms?: string;
  /** As startStack has them. */
  emulated?: Required<Pick<StackOptions, 'main' | 'node' | 'knotPrograms'>>;
}

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-e2e-'));
  // Postgres, which refuses root, must get through to its data.
  await chmod(stateDir, 0o711);
  const stack = await startStack({
    stateDir,
    limits: options.limits ?? false,
    certManager: options.certManager ?? false,
    durable: options.durable ?? false,
    nodes: options.nodes ?? 1,
    nameservers: options.nameservers,
    settings: options.settings,
    postgresPrograms: options.postgresPrograms,
    main: inject('program'),
    ...options.emulated,
    progress: () => {},
    signal,
  });
  const tools = inject('tools');
  const { service, cluster } = stack;
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  const at = [`@${service.dns.address}`, '-p', String(service.dns.port)];
  const run = async (command: string, args: string[]) =>
    runCommand({ command, args, timeoutMs: LIMIT_SECONDS * 1_000, signal });
  const user = await kubeUser(cluster.kubeconfig);
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
  const toList = (objects: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const dig = async (name: string, type: string, ...more: string[]) => {
    const { out } = await run(tools.dig, [...at, '+norecurse', '+noall', '+answer', ...more, name, type]);
    return out
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';') && !/\sRRSIG\s/.test(line))
      .map((line) => line.replace(/\s+/g, ' '))
      .sort();
  };
  const remove = async (namespace: string, ...words: string[]) => {
    await Promise.all(words.map((name) => user.remove(name, namespace)));
    for (const [kind, names] of namedIn(words).byKind) {
      const still = (objects: ByName) => names.filter((name) => objects.has(name)).map((name) => `${name} is there`);
      await user.until(kind, namespace, still, LIMIT_SECONDS);
    }
  };
  return {
    stack,
    client,
    kube: user,
    kubectlPath,
    kubectl,
    apply: async (...objects) => {
      try {
        await user.apply(objects);
        return { ok: true, words: '' };
      } catch (error) {
        return { ok: false, words: (error as Error).message };
      }
    },
    applyByKubectl: async (...objects) => kubectl('apply', '-f', await write(toList(objects))),
    applyText: async (namespace, yaml) => {
      await kubectl('-n', namespace, 'apply', '-f', await write(yaml));
    },
    ready: async (...words) => {
      const { namespace, byKind } = namedIn(words);
      const waits = [...byKind].map(([kind, names]) =>
        user.until(
          kind,
          namespace,
          (objects) => names.flatMap((name) => unready(name, objects.get(name))),
          LIMIT_SECONDS,
        ),
      );
      await Promise.all(waits);
    },
    condition: async (name, type, namespace) => {
      const { status } = await user.get<Watched>(name, namespace);
      return status?.conditions?.find((condition) => condition.type === type) as ConditionSeen | undefined;
    },
    remove,
    removeAll: async (namespace) => {
      for (const kind of ['zdr', 'zdz']) {
        const objects = await user.list(kind, namespace);
        await remove(namespace, ...objects.map(({ metadata }) => `${kind}/${metadata.name}`));
      }
    },
    events: async (namespace = 'default') =>
      (await user.list<EventSeen>('event', namespace)).map(
        ({ type, reason, note, regarding }) =>
          `${type} ${reason} ${regarding.kind.toLowerCase()}/${regarding.name}: ${note}`,
      ),
    dig,
    rcode: async (name, type) => {
      const { out } = await run(tools.dig, [...at, '+norecurse', name, type]);
      return /status: ([A-Z]+)/.exec(out)?.[1] ?? 'no answer';
    },
    delv: async (zone, name, type) => {
      const [found] = await fetchZones(client, { zoneName: zone });
      const [ds] = (await client.call(listDsRecords, { params: { id: found?.id ?? '' } })).ds;
      const anchor = join(stateDir, `anchor-${zone}`);
      const text = `trust-anchors { ${zone}. static-ds ${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} "${ds?.digest}"; };\n`;
      await writeFile(anchor, text);
      const { out, tail } = await run(tools.delv, [...at, '-a', anchor, `+root=${zone}`, name, type]);
      return /^; (negative response, )?(fully validated|unsigned answer)/m.exec(`${out}\n${tail}`)?.[0] ?? tail;
    },
    stop: async () => {
      await client.close();
      await user.close();
      await stack.stop();
      await removePostgresState(stateDir);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Words of kubectl: `-n`, a namespace, and names such as `zdr/www`. */
function namedIn(words: readonly string[]) {
  const at = words.indexOf('-n');
  const namespace = at < 0 ? 'default' : (words[at + 1] as string);
  const names = words.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const byKind = new Map<string, string[]>();
  for (const each of names) {
    const [kind = '', name = ''] = each.split('/');
    byKind.set(kind, [...(byKind.get(kind) ?? []), name]);
  }
  return { namespace, byKind };
}

function unready(name: string, object: unknown): string[] {
  if (object === undefined) return [`${name} is not there`];
  if (kubectlWaitIsOver(object as Watched)) return [];
  return [`${name}: ${JSON.stringify(findConditionOfType(object as Watched, 'Ready') ?? 'no Ready')}`];
}

/** The annotation permits to delete most objects of the stack at once, as the tests of a file do when they end. */
export function zoneObject(name: string, zoneName: string, spec: object = {}, namespace = 'default'): object {
  return {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSZone',
    metadata: { name, namespace, annotations: { [RELEASE_MANY]: 'true' } },
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
