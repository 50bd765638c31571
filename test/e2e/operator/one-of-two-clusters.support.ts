// One of several clusters of a test service: a control plane, and an operator as a process that reaches the service
// through a relay.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeApi } from '#kube/api/api.ts';
import { type Condition, findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startReady } from '../../../deploy/local/parts/process.ts';
import { startTcpRelay, type TcpRelay } from '../../support/http/tcp-relay.ts';
import { type Chain, createCalls, startPlane } from '../../support/matrix/chain.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { NAMESERVERS, type TestService } from '../../support/service/service.ts';

const PROGRAM = new URL('operator-process.support.ts', import.meta.url).pathname;
const execute = promisify(execFile);
const LIMIT_MS = 150_000;
const { signal } = new AbortController();

export interface TestCluster extends Pick<Chain, 'zone' | 'record' | 'remove'> {
  readonly name: string;
  readonly api: KubeApi;
  /** Between operator and service. */
  readonly relay: TcpRelay;
  /** Ready of a DNSRecord, if it is about the newest generation. */
  ready(record: string): Promise<Condition | undefined>;
  /** The resourceVersion of a DNSRecord, which each write changes. */
  version(record: string): Promise<string | undefined>;
  /** The value of a series of the operator, named without the prefix. */
  metric(series: string): Promise<number | undefined>;
  /** Types a command, with kubectl for this cluster. @returns its output @throws with its words */
  type(command: string, folder: string): Promise<string>;
  /** @param as the name of the cluster that it gets. (Default: that of this cluster.) */
  startOperator(as?: string): Promise<void>;
  killOperator(): Promise<void>;
  /** SIGKILL for kube-apiserver and operator. */
  kill(): Promise<void>;
  /** Starts both again, with the same data. */
  restart(): Promise<void>;
}

/** @param closers gets the functions that close it. @param heartbeatMs the time between two heartbeats */
export async function startCluster(
  service: TestService,
  name: string,
  heartbeatMs: number,
  closers: (() => Promise<unknown>)[],
): Promise<TestCluster> {
  const plane = await startPlane(closers);
  const { api } = plane.cluster;
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-operator-'));
  closers.push(() => rm(stateDir, { recursive: true, force: true }));
  const target = Number(new URL(service.url).port);
  const relay = await startTcpRelay(target);
  closers.push(() => relay.close());
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir });
  const base = `http://127.0.0.1:${health}`;
  let operator: Part | undefined;
  closers.push(async () => operator?.stop());
  const startOperator = async (as = name) => {
    const env = {
      ...COMPILED,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HEARTBEAT_MS: String(heartbeatMs),
      KUBECONFIG: plane.operatorKubeconfig,
      ZONESTEAD_CLUSTER: as,
      ZONESTEAD_URL: `http://127.0.0.1:${relay.port}`,
      ZONESTEAD_API_KEY: service.admin.text,
      ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map(
        (host) => `${host}=${service.dns.address}:${service.dns.port}`,
      ).join(','),
      ZONESTEAD_HEALTH_LISTEN: `127.0.0.1:${health}`,
    };
    operator = await startReady(
      { name: 'operator', command: process.execPath, args: [PROGRAM], env, logFile: join(stateDir, 'operator.log') },
      async (limit) => (await fetch(`${base}/readyz`, { signal: limit })).ok,
      { what: 'the operator to be ready', timeoutMs: LIMIT_MS, intervalMs: 50, signal },
    );
  };
  const killOperator = async () => operator?.stop({ signal: 'SIGKILL' });
  const record = (of: string) => api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name: of });
  return {
    ...createCalls(api),
    name,
    api,
    relay,
    ready: async (of) => {
      const { metadata, status } = await record(of);
      const ready = findCondition(status?.conditions, 'Ready');
      return ready?.observedGeneration === metadata.generation ? ready : undefined;
    },
    version: async (of) => (await record(of)).metadata.resourceVersion,
    metric: async (series) => {
      const text = await (await fetch(`${base}/metrics`)).text();
      const line = text.split('\n').find((each) => each.startsWith(`zonestead_${series} `));
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    },
    type: async (command, cwd) => {
      const env = { PATH: `${plane.programs}:${process.env.PATH}`, HOME: cwd, KUBECONFIG: plane.kubeconfig };
      return (await execute('bash', ['-ec', command], { cwd, env, timeout: LIMIT_MS })).stdout;
    },
    startOperator,
    killOperator,
    kill: async () => void (await Promise.all([killOperator(), plane.kill()])),
    restart: async () => {
      await plane.restart();
      await startOperator();
    },
  };
}
