// The addresses of the nodes that an edge transfers from. Knot wants addresses, and the values have names: those of
// Services, which get another address when they are created again. The last addresses are remembered in the folder of
// Knot's databases, so that an edge starts without the DNS of the cluster.
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, realClock } from '#base/clock.ts';
import { preferFamily } from '#base/families.ts';
import { sleep } from '#base/wait.ts';
import type { HostPort } from '#config.ts';
import type { Endpoint } from '#dns/secondaries/secondary.ts';
import { replaceFile } from '../knot/replace-file.ts';

/**
 * @returns every address of the host, in any order
 * @throws if it has none
 */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

interface PrimariesOptions {
  readonly hosts: readonly HostPort[];
  /** The folder for the remembered addresses. */
  readonly folder: string;
  /** (Default: the resolver of the system.) */
  readonly resolve?: ResolveHost;
  readonly signal: AbortSignal;
}

const FILE = 'primaries.json';
const AGAIN_MS = 1_000;
const rememberedAddresses = z.record(z.string(), z.string());

/**
 * The addresses as they are now; a host that cannot be resolved has its last one. Null: one of them was never resolved.
 */
export async function primariesNow({
  hosts,
  folder,
  resolve = ofSystem,
}: PrimariesOptions): Promise<Endpoint[] | null> {
  const path = join(folder, FILE);
  const before =
    rememberedAddresses.safeParse(
      await readFile(path, 'utf8')
        .then(JSON.parse)
        .catch(() => ({})),
    ).data ?? {};
  const resolvedAddresses = await Promise.all(
    hosts.map(async ({ host }) => (isIP(host) === 0 ? first(await resolve(host).catch(() => [])) : host)),
  );
  const after: Record<string, string> = {};
  const all = hosts.map(({ host, port }, at) => {
    const address = resolvedAddresses[at] ?? before[host];
    if (address !== undefined) after[host] = address;
    return address === undefined ? null : { address, port };
  });
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    await replaceFile(path, JSON.stringify(after));
  }
  return all.includes(null) ? null : (all as Endpoint[]);
}

/** Waits until each host was resolved once. @param print called once with the reason of the wait */
export async function primaries(
  options: PrimariesOptions,
  print: (line: string) => void,
  clock: Clock = realClock,
): Promise<Endpoint[]> {
  for (let tries = 0; ; tries += 1) {
    const endpoints = await primariesNow(options);
    if (endpoints !== null) return endpoints;
    if (tries === 0) print(`waiting for the addresses of ${options.hosts.map(({ host }) => host).join(', ')}`);
    await sleep(clock, AGAIN_MS, options.signal);
  }
}

/** The same one of several addresses each time, of the family that this machine uses first. */
function first(addresses: readonly string[]): string | undefined {
  return preferFamily(addresses)[0];
}

async function ofSystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
