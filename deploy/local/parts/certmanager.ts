// cert-manager's two controllers as parts of the local stack.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atLoopback } from './loopback.ts';
import type { Part } from './part.ts';
import { startProcess, startReady } from './process.ts';

export interface CertManagerOptions {
  /** The programs, from ensureCertManager. */
  dir: string;
  stateDir: string;
  /** The token of cert-manager's own account. */
  kubeconfig: string;
  /** host:port of the name server that names are looked up at. */
  dns: string;
  ports: { certManagerMetrics: number; certManagerHealth: number };
  signal: AbortSignal;
}

const NAMESPACE = 'cert-manager';

/**
 * Flags by which cert-manager asks one name server alone.
 * @param dns host:port: no parent zone delegates to ours, and the names of its servers resolve nowhere
 */
export function askOnly(dns: string): string[] {
  return [`--dns01-recursive-nameservers=${dns}`, '--dns01-recursive-nameservers-only'];
}

/** Starts the controller and waits until it answers /livez, at most 60 s. @throws with the end of its log */
export async function startCertManager(options: CertManagerOptions): Promise<Part> {
  const { dir, stateDir, kubeconfig, dns, ports, signal } = options;
  const home = join(stateDir, 'certmanager');
  await mkdir(home, { recursive: true });
  const url = `http://${atLoopback(ports.certManagerHealth)}/livez`;
  return startReady(
    {
      name: 'cert-manager',
      command: join(dir, 'cert-manager'),
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--cluster-resource-namespace=${NAMESPACE}`,
        ...askOnly(dns),
        '--dns01-check-retry-period=1s',
        // A person who tries things out must not wait an hour after a failure.
        '--certificate-request-minimum-backoff-duration=1s',
        '--certificate-request-maximum-backoff-duration=5s',
        `--metrics-listen-address=${atLoopback(ports.certManagerMetrics)}`,
        `--internal-healthz-listen-address=${atLoopback(ports.certManagerHealth)}`,
        '-v=2',
      ],
      env: { PATH: process.env.PATH, HOME: home },
      cwd: home,
      logFile: join(home, 'cert-manager.log'),
    },
    async (limit) => (await fetch(url, { signal: limit })).ok,
    {
      what: 'cert-manager to answer /livez',
      timeoutMs: 150_000,
      intervalMs: 50,
      signal,
    },
  );
}

/**
 * Writes caBundle into annotated APIServices. It has no port for a health check, so the effect of its work is awaited.
 */
export async function startCaInjector(dir: string, stateDir: string, kubeconfig: string): Promise<Part> {
  const home = join(stateDir, 'certmanager');
  await mkdir(home, { recursive: true });
  return startProcess({
    name: 'cainjector',
    command: join(dir, 'cainjector'),
    args: [`--kubeconfig=${kubeconfig}`, '-v=2'],
    env: { PATH: process.env.PATH, HOME: home },
    cwd: home,
    logFile: join(home, 'cainjector.log'),
  });
}
