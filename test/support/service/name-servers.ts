// The name servers of a test service: each is a real knotd, and a node in this process that feeds it.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '#config.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { runningVersion } from '#nameserver/knot/version.ts';
import { type ComposedNode, composeNode } from '#nameserver/node/compose.ts';
import { NODE_SETTINGS } from '#nameserver/settings.ts';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startKnot } from '../../../deploy/local/parts/knot.ts';
import type { TestKnot } from '../knot/knot.ts';
import type { TestDatabase } from '../postgres/database.ts';

/**
 * Lines about a zone before its first contents, which knotd tries to sign if it has NSEC3, and about an empty
 * configuration.
 */
const HARMLESS =
  /no zones loaded|zone event ('load' failed \(not exists\)|'re-sign' failed \(invalid parameter\))|failed to purge orphan from journal database/;

/** @param closers gets the function that stops it, which throws if knotd complained */
export async function startServiceKnot(
  stateDir: string,
  port: number,
  closers: (() => Promise<unknown>)[],
): Promise<TestKnot> {
  const { signal } = new AbortController();
  const start = () => startKnot({ programs: inject('knot'), stateDir, port, signal });
  const knot = await start();
  const control = knotControl({ socket: knot.folder.socket });
  const own: TestKnot = {
    ...knot,
    primary: knot,
    control,
    version: await runningVersion(control, signal),
    warnings: [],
    restart: async (how) => {
      await own.part.stop({ signal: how });
      own.part = (await start()).part;
    },
  };
  closers.push(async () => {
    control.close();
    const lines = (await own.part.tail(500)).split('\n');
    await own.part.stop();
    const complaints = lines.filter((line) => / (warning|error|critical): /.test(line) && !HARMLESS.test(line));
    if (complaints.length > 0) throw new Error(`knotd complained:\n${complaints.slice(-20).join('\n')}`);
  });
  return own;
}

export interface NodeParts {
  url: string;
  name: string;
  database: TestDatabase;
  knot: TestKnot;
  stateDir: string;
  log: string[];
  /** More settings, as in the environment. */
  settings: Readonly<Record<string, string>>;
}

/** @param closers gets the function that ends it */
export async function startServiceNode(
  { url, name, database, knot, stateDir, log, settings }: NodeParts,
  closers: (() => Promise<unknown>)[],
): Promise<ComposedNode> {
  const stop = new AbortController();
  const key = await adminEnsureNodeKey(database.url, name, undefined, randomBytes, new Date());
  const env = {
    ZONESTEAD_FEED_URL: url,
    ZONESTEAD_NODE_KEY: key,
    ZONESTEAD_NODE_NAME: name,
    ZONESTEAD_NODE_STATE: join(stateDir, 'state'),
    ZONESTEAD_KNOT_FOLDER: knot.folder.root,
    ZONESTEAD_KNOT_LISTEN: knot.address,
    ZONESTEAD_KNOT_PORT: String(knot.port),
    ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: '127.0.0.0/8',
    ZONESTEAD_KEYMGR: inject('knot').keymgr,
    ...settings,
  };
  const destination = { write: (line: string) => void log.push(line) };
  const telemetry = {
    log: createLogger({ name: 'nameserver', level: 'debug', destination }),
    metrics: createMetrics({ processMetrics: false }),
  };
  const node = composeNode(readConfig(NODE_SETTINGS, env), telemetry, stop.signal);
  closers.push(async () => {
    stop.abort(new Error('the tests of the file are over'));
    await node.ended;
    await node.close();
  });
  return node;
}
