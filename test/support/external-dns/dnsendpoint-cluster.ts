// A real kube-apiserver with external-dns' kind DNSEndpoint.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';

const { signal } = new AbortController();

export interface DnsEndpointCluster {
  kubeconfig: string;
  /** @returns its output. @throws Error with its last lines if it fails */
  kubectl(...args: string[]): Promise<string>;
  apply(...items: object[]): Promise<void>;
}

/** It stops after the file's tests. @param folder for its state. @param crd the file of the kind */
export async function startDnsEndpointCluster(folder: string, crd: string): Promise<DnsEndpointCluster> {
  await chmod(folder, 0o711);
  const programs = await ensureControlPlane({ progress: () => {}, signal });
  const ports = await allocatePorts([{ name: 'etcd' }, { name: 'etcdPeer' }, { name: 'apiserver' }], {
    stateDir: folder,
  });
  const cluster = await startControlPlane({ dir: programs.dir, stateDir: folder, ports, signal });
  afterAll(() => cluster.stop());
  const kubectl = async (...args: string[]) => {
    const words = [`--kubeconfig=${cluster.kubeconfig}`, ...args];
    const command = join(programs.dir, 'kubectl');
    const { code, out, tail } = await runCommand({ command, args: words, timeoutMs: 180_000, signal });
    if (code !== 0) throw new Error(tail);
    return out;
  };
  await kubectl('apply', '--server-side', '-f', crd);
  await kubectl('wait', '--for=condition=Established', '--timeout=120s', '-f', crd);
  return {
    kubeconfig: cluster.kubeconfig,
    kubectl,
    apply: async (...items) => {
      const file = join(folder, 'objects.json');
      await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await kubectl('apply', '-f', file);
    },
  };
}
