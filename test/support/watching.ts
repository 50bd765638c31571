// Every state of objects that a watch of the kube-apiserver tells, in order, as `kubectl get --watch` prints them.
import { spawn } from 'node:child_process';
import type { TestStack } from './stack.ts';

export interface Watching<T> {
  /** All states so far, the oldest first. */
  states(): T[];
  stop(): Promise<void>;
}

/** @param what words of `kubectl get`: a kind, a namespace */
export function watchObjects<T>({ stack, kubectlPath }: TestStack, ...what: string[]): Watching<T> {
  const words = [`--kubeconfig=${stack.cluster.kubeconfig}`, 'get', ...what, '--watch', '-o', 'json'];
  const child = spawn(kubectlPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    states: () =>
      text
        // One document ends where a line is a brace alone; what is behind the last one is not whole yet.
        .split(/^}$/m)
        .slice(0, -1)
        .map((document) => JSON.parse(`${document}}`) as T),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
