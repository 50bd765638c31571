// Free loopback ports, remembered per state folder so that a warm `up` keeps its addresses.
//
// The ports are below the kernel's ephemeral range (ip_local_port_range, 32768 on Linux): an outgoing connection can
// take a port of that range between the check and the start of the server. Between processes of one user a claim file
// per port (held while its process lives) prevents two stacks that start at once from choosing the same number.
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { isAlive, processIdentity } from './liveness.ts';
import { LOOPBACK } from './loopback.ts';

export interface PortWish {
  name: string;
  /** True: TCP and UDP must both be free, as a name server needs. (Default: false, TCP only.) */
  dns?: boolean;
  /** A number the user asked for: taken or refused, never replaced. */
  port?: number;
}

export interface PortOptions {
  /** Holds ports.json. Must exist. */
  stateDir: string;
  /** (Default: Math.random.) */
  random?: () => number;
  /** Where claims are kept. (Default: ports/ in the cache folder.) */
  claimsDir?: string;
}

const FIRST = 20_000;
const LAST = 32_000;
const ATTEMPTS = 200;

/**
 * A free port of the loopback address for every wish, by name. The last run's port is used again while it is free.
 * @throws when a port that was asked for is in use, or when no free one is found in 200 attempts.
 */
export async function allocatePorts<Name extends string>(
  wishes: readonly (PortWish & { name: Name })[],
  { stateDir, random = Math.random, claimsDir = join(cacheRoot(), 'ports') }: PortOptions,
): Promise<Record<Name, number>> {
  const memory = join(stateDir, 'ports.json');
  const remembered = await readMemory(memory);
  const owner = `${processIdentity(process.pid)} ${stateDir}`;
  mkdirSync(claimsDir, { recursive: true });
  const taken = new Set<number>();
  const usable = async (port: number, wish: PortWish) =>
    !taken.has(port) && (await isFree(port, wish.dns ?? false)) && claim(join(claimsDir, String(port)), owner);

  const ports = {} as Record<Name, number>;
  for (const wish of wishes) {
    const port = await choose(wish, remembered[wish.name], random, (candidate) => usable(candidate, wish));
    taken.add(port);
    ports[wish.name] = port;
  }
  await writeFile(memory, `${JSON.stringify({ ...remembered, ...ports }, null, 2)}\n`);
  return ports;
}

async function choose(
  { name, port }: PortWish,
  before: number | undefined,
  random: () => number,
  usable: (port: number) => Promise<boolean>,
): Promise<number> {
  if (port !== undefined) {
    if (await usable(port)) return port;
    throw new Error(`port ${port} (${name}) is in use: stop what listens there or ask for another one`);
  }
  if (before !== undefined && (await usable(before))) return before;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const candidate = FIRST + Math.floor(random() * (LAST - FIRST));
    if (await usable(candidate)) return candidate;
  }
  throw new Error(`no free port for ${name} between ${FIRST} and ${LAST} in ${ATTEMPTS} attempts`);
}

/** True when nothing listens on this port of the loopback address (over UDP too when `dns`). */
export async function isFree(port: number, dns: boolean): Promise<boolean> {
  return (await canListen(port)) && (!dns || (await canReceive(port)));
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function canReceive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(LOOPBACK) ? 'udp6' : 'udp4');
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: LOOPBACK, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}

function claim(file: string, owner: string): boolean {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, owner, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readText(file);
    if (holder === owner) return true;
    if (isAlive(holder.split(' ')[0] ?? '')) return false;
    rmSync(file, { force: true });
  }
  return false;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function readMemory(file: string): Promise<Record<string, number>> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
    const entries = Object.entries(parsed ?? {}).filter(
      ([, port]) => Number.isInteger(port) && port > 0 && port < 65_536,
    );
    return Object.fromEntries(entries);
  } catch {
    return {}; // Missing or damaged: new ports do no harm.
  }
}
