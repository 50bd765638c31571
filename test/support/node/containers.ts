// Containers of the test node as processes of this machine: where one runs, and its end by force, as the kernel's
// out-of-memory killer or a crash would bring it. It must not know what runs in them.
import { readdir, readFile } from 'node:fs/promises';
import type { TestCluster } from './cluster.ts';

export interface Container {
  pod: string;
  /** Of the pod: it stays when a container is started again. */
  uid: string;
  component: string;
  name: string;
  /** Of the container runtime; each start has another. */
  id: string;
  ready: boolean;
  restarts: number;
}

interface PodObject {
  metadata: { name: string; uid: string; labels?: Record<string, string>; deletionTimestamp?: string };
  status: { containerStatuses?: { name: string; containerID?: string; ready: boolean; restartCount: number }[] };
}

/** Of all pods of a namespace that run and are to stay, as the kubelet tells them. */
export async function containersOf(cluster: TestCluster, namespace: string): Promise<Container[]> {
  const out = await cluster.kubectl('-n', namespace, 'get', 'pods', '--field-selector=status.phase=Running', '-o=json');
  const { items } = JSON.parse(out) as { items: PodObject[] };
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.flatMap(({ metadata, status }) =>
    (status.containerStatuses ?? []).map(({ name, containerID = '', ready, restartCount }) => ({
      pod: metadata.name,
      uid: metadata.uid,
      component: metadata.labels?.['app.kubernetes.io/component'] ?? '',
      name,
      id: containerID.replace(/^\w+:\/\//, ''),
      ready,
      restarts: restartCount,
    })),
  );
}

/**
 * SIGKILL to the first process of a container, from outside: with it the kernel ends all others inside (pid_namespaces(7)).
 * Works only on a node that runs on this machine.
 * @throws when it does not run here
 */
export async function killContainer({ id, name, pod }: Container): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    // It may end while we look.
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    // The cgroup's path ends with the container's id, in version 1 and 2 and whatever the driver.
    if (id === '' || !(await read('cgroup')).includes(id)) continue;
    if (!/^NSpid:.*\t1$/m.test(await read('status'))) continue;
    process.kill(Number(pid), 'SIGKILL');
    return;
  }
  throw new Error(`no process of container ${name} of pod ${pod} runs on this machine`);
}
