// PowerDNS as a part of the local stack: its folder, its configuration, and the wait for its first answer.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlSocket, pdnsConf } from '#nameserver/companion/pdns-conf.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import { type Part, startReady } from './process.ts';

export interface PowerDnsOptions {
  /** The program, as ensurePowerDns found it. */
  command: string;
  /** Holds the configuration (mode 600), the control socket and the log. */
  stateDir: string;
  port: number;
  database: { host: string; port: number; name: string; password: string };
  signal: AbortSignal;
}

export interface PowerDns {
  part: Part;
  /** Path of the control socket, for the companion. */
  socket: string;
}

/** The path of pdns_server; installed when it is missing and that may be done. */
export async function ensurePowerDns(options: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const found = await ensureTools(
    [
      { command: 'pdns_server', package: 'pdns-server' },
      { file: '/usr/lib/*/pdns/libgpgsqlbackend.so', package: 'pdns-backend-pgsql' },
    ],
    options,
  );
  return found.pdns_server as string;
}

/** Starts PowerDNS and waits for its first answer, at most 30 s. @throws with the end of its log */
export async function startPowerDns({ command, stateDir, port, database, signal }: PowerDnsOptions): Promise<PowerDns> {
  const folder = join(stateDir, 'powerdns');
  await mkdir(folder, { recursive: true });
  const conf = join(folder, 'pdns.conf');
  const socket = controlSocket(folder);
  await rm(socket, { force: true });
  const address = '127.0.0.1';
  const text = pdnsConf({ database: { user: 'pdns', ...database }, listen: { address, port }, socketDir: folder });
  await writeFile(conf, text, { mode: 0o600 });
  await chmod(conf, 0o600);
  const part = await startReady(
    {
      name: 'powerdns',
      command,
      args: [`--config-dir=${folder}`],
      logFile: join(folder, 'powerdns.log'),
    },
    async (limit) => {
      await ask({ address, port }, { name: 'up.invalid', type: 'SOA' }, { timeoutMs: 500, signal: limit });
      return true;
    },
    { what: `PowerDNS on port ${port}`, timeoutMs: 30_000, intervalMs: 30, signal },
  );
  return { part, socket };
}
