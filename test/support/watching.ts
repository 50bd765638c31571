// Every state of objects that a watch of the kube-apiserver tells, in order, as `kubectl get --watch` prints them.
import { spawn } from 'node:child_process';
import type { Watched } from './kstatus.ts';
import type { TestStack } from './stack.ts';

export interface Watching {
  /** All states so far, of one object, the oldest first. */
  of(name: string): Watched[];
  stop(): Promise<void>;
}

/** @param kind `zdr` or `zdz`, of the default namespace */
export function watchObjects({ stack, kubectlPath }: TestStack, kind: string): Watching {
  const child = spawn(kubectlPath, [`--kubeconfig=${stack.cluster.kubeconfig}`, 'get', kind, '--watch', '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    of: (name) =>
      text
        // One document ends where a line is a brace alone; what is behind the last one is not whole yet.
        .split(/^}$/m)
        .slice(0, -1)
        .map((document) => JSON.parse(`${document}}`) as Watched)
        .filter(({ metadata }) => metadata.name === name),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
