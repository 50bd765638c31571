// Web servers of the benchmarks of health checks: in this process, which close, and in processes of their own, which
// fall silent.
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Part, startReady } from '../../deploy/local/parts/process.ts';
import type { Bench } from './support.ts';

export interface ClosingServers {
  /** From now on the address refuses connections. */
  close(address: string): Promise<void>;
  open(address: string): Promise<void>;
  stop(): Promise<void>;
}

/** Servers at each address that answer 204. */
export async function startClosingServers(port: number, addresses: readonly string[]): Promise<ClosingServers> {
  const servers = new Map<string, Server>();
  const open = async (address: string) => {
    const server = createServer((_, response) => response.writeHead(204).end());
    await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, address, resolve));
    servers.set(address, server);
  };
  const close = (address: string) =>
    new Promise<void>((resolve) => {
      const server = servers.get(address);
      servers.delete(address);
      if (server === undefined) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await Promise.all(addresses.map(open));
  return { close, open, stop: async () => void (await Promise.all([...servers.keys()].map(close))) };
}

let processes = 0;

/** A process with a server at each address. SIGSTOP makes it silent: the kernel still accepts connections. */
export function startServerProcess(bench: Bench, port: number, addresses: readonly string[]): Promise<Part> {
  const program = fileURLToPath(new URL('web-server.ts', import.meta.url));
  processes += 1;
  const name = `web-server-${processes}`;
  const logFile = join(bench.stateDir, `${name}.log`);
  const started = startReady(
    { name, command: process.execPath, args: [program, String(port), ...addresses], logFile },
    async (limit) => {
      const last = addresses.at(-1) === '0.0.0.0' ? '127.0.0.1' : addresses.at(-1);
      return (await fetch(`http://${last}:${port}/`, { signal: limit })).status === 204;
    },
    { what: name, timeoutMs: 30_000, intervalMs: 50, signal: bench.signal },
  );
  bench.atEnd(async () => (await started).stop({ signal: 'SIGKILL' }));
  return started;
}
