// Standard name servers as parts: a secondary of each kind that the generated configurations are for. Each runs in the
// foreground from one configuration file in one folder.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from '#nameserver/probe/probe.ts';
import { type Part, startReady } from './process.ts';

export interface SecondaryServer {
  /** In messages and for the names of files: `bind`. */
  name: string;
  /** The program, as its part found it. */
  command: string;
  /** The arguments before the path of the configuration. */
  args: string[];
}

export interface StartSecondaryOptions {
  server: SecondaryServer;
  /** The text of the configuration, for this folder, address and port. */
  config: string;
  folder: string;
  address: string;
  port: number;
  signal: AbortSignal;
}

/** Starts the server and waits until it answers anything, at most a minute. @throws with the end of its log */
export async function startSecondary(options: StartSecondaryOptions): Promise<Part> {
  const { server, config, folder, address, port, signal } = options;
  const { name, command, args } = server;
  const file = join(folder, `${name}.conf`);
  // It contains the TSIG key.
  await writeFile(file, config, { mode: 0o600 });
  return startReady(
    { name, command, args: [...args, file], logFile: join(folder, `${name}.log`) },
    async (limit) => {
      await ask({ address, port }, { name: 'up.invalid', type: 'SOA' }, { timeoutMs: 500, signal: limit });
      return true;
    },
    { what: `${name} on ${address}, port ${port}`, timeoutMs: 60_000, intervalMs: 30, signal },
  );
}
