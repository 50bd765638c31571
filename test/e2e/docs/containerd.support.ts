// Debian's containerd alone, without kubelet, for commands that load images. It needs root.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { startReady } from '../../../deploy/local/parts/process.ts';

const LIMIT_MS = 120_000;

export interface TestContainerd {
  /** The path of its socket, for CONTAINERD_ADDRESS. */
  socket: string;
  /** Names with tags, in a namespace of containerd. */
  images(namespace: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param folder exists and is empty. @throws Error with its log when it does not start */
export async function startContainerd(folder: string): Promise<TestContainerd> {
  const { signal } = new AbortController();
  const { containerd = '', ctr = '' } = await ensureTools(
    [
      { command: 'containerd', package: 'containerd' },
      { command: 'ctr', package: 'containerd' },
    ],
    { progress: () => {}, signal },
  );
  const socket = join(folder, 'containerd.sock');
  const configuration = `version = 2
root = "${folder}/root"
state = "${folder}/state"
oom_score = 0
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "${socket}"
`;
  await mkdir(join(folder, 'root'));
  await writeFile(join(folder, 'config.toml'), configuration);
  const ask = (...args: string[]) =>
    runCommand({ command: ctr, args: ['--address', socket, ...args], timeoutMs: LIMIT_MS, signal });
  const part = await startReady(
    {
      name: 'containerd',
      command: containerd,
      args: ['--config', join(folder, 'config.toml')],
      logFile: join(folder, 'containerd.log'),
    },
    () => ask('version').then(({ code }) => code === 0),
    { what: 'containerd', timeoutMs: LIMIT_MS, intervalMs: 50, signal },
  );
  return {
    socket,
    images: async (namespace) => {
      const { code, out, tail } = await ask('--namespace', namespace, 'images', 'ls', '--quiet');
      if (code !== 0) throw new Error(tail);
      return out.split('\n').filter((line) => line !== '');
    },
    stop: () => part.stop(),
  };
}
