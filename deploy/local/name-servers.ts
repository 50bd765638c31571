// The name servers of a local stack: each is a knotd and the `nameserver` command that feeds it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startCommand } from './parts/command.ts';
import { type KnotPrograms, startKnot } from './parts/knot.ts';
import { LOOPBACK } from './parts/loopback.ts';
import type { Part } from './parts/part.ts';

type Suffix = '' | `-${number}`;

export interface NameServer {
  /** The name under which its node reports. */
  name: string;
  /** Its name in NS records, which resolves nowhere. */
  hostName: string;
  address: string;
  port: number;
  /** The names of its two parts. */
  knot: `knot${Suffix}`;
  node: `nameserver${Suffix}`;
}

export interface NameServerOptions {
  programs: KnotPrograms;
  /** The program of the nodes. (Default: that of this checkout.) */
  main?: string | undefined;
  /** Their program of Node. (Default: the running one.) */
  node?: string | undefined;
  /** More settings for the nodes. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** The longest wait until a node is ready. (Default: as startCommand.) */
  readyMs?: number | undefined;
  /** Each name server has a folder of its own in `nodes`. */
  stateDir: string;
  healthPorts: readonly number[];
  /** Known when the first node starts. */
  feed(): { url: string; key: string };
  signal: AbortSignal;
}

/** One for each port: ns1, ns2, and so on. */
export function nameServers(ports: readonly number[]): NameServer[] {
  return ports.map((port, at) => {
    const suffix: Suffix = at === 0 ? '' : `-${at + 1}`;
    const name = `ns${at + 1}`;
    return {
      name,
      hostName: `${name}.zonestead.test`,
      address: LOOPBACK,
      port,
      knot: `knot${suffix}`,
      node: `nameserver${suffix}`,
    };
  });
}

/** The functions that start the parts of all name servers, by the names of the parts. */
export function nameServerStarters(
  servers: readonly NameServer[],
  options: NameServerOptions,
): Partial<Record<NameServer['knot'] | NameServer['node'], () => Promise<Part>>> {
  return Object.fromEntries(
    servers.flatMap((server, at) => [
      [server.knot, () => startKnotPart(server, options)],
      [server.node, () => startNodePart(server, options.healthPorts[at] as number, options)],
    ]),
  );
}

const folderOf = (stateDir: string, { name }: NameServer) => join(stateDir, 'nodes', name);

async function startKnotPart(server: NameServer, { programs, stateDir, signal }: NameServerOptions): Promise<Part> {
  const folder = folderOf(stateDir, server);
  await mkdir(folder, { recursive: true });
  const { part } = await startKnot({
    programs,
    stateDir: folder,
    port: server.port,
    settings: { identity: server.name },
    signal,
  });
  return part;
}

function startNodePart(server: NameServer, healthPort: number, options: NameServerOptions): Promise<Part> {
  const { programs, main, node, settings, readyMs, stateDir, feed, signal } = options;
  const { url, key } = feed();
  const folder = folderOf(stateDir, server);
  const env = {
    ZONESTEAD_FEED_URL: url,
    ZONESTEAD_NODE_KEY: key,
    ZONESTEAD_NODE_NAME: server.name,
    ZONESTEAD_NODE_STATE: join(folder, 'state'),
    ZONESTEAD_KNOT_FOLDER: join(folder, 'knot'),
    ZONESTEAD_KNOT_LISTEN: server.address,
    ZONESTEAD_KNOT_PORT: String(server.port),
    ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: '127.0.0.0/8,::1',
    ZONESTEAD_KEYMGR: programs.keymgr,
    ...settings,
  };
  return startCommand({ name: 'nameserver', env, main, node, readyMs, healthPort, stateDir: folder, signal });
}
