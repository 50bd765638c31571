// The context of the service: its settings, its permits and its queue.
import { randomBytes } from 'node:crypto';
import { Keyring } from '#base/keyring.ts';
import type { Config } from '#config.ts';
import { createZoneQueue } from '#service/change/queue.ts';
import type { ServiceContext } from '#service/context.ts';
import { createCommits } from '#service/nodes/commits.ts';
import { limitWork, type WorkLimitOptions } from '#service/permits.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Planning a file of 8 MiB takes about 100 MB. Two of them fit the memory limit of the chart. */
const IMPORTS = { total: 2, share: 1, waiting: 6, waitMs: 20_000, work: 'imports of zone files' };

/** One waits for the lock of the tree of zones while another holds it. */
const ADDITIONS = { total: 2, share: 1, waiting: 256, work: 'creations of zones' };

/** Reads that hold a connection while their client reads may use a quarter of the pool, and one team half of that. */
function largeReads(connections: number): WorkLimitOptions {
  const total = Math.max(1, Math.floor(connections / 4));
  // Longer than a client that reads nothing keeps its permit.
  return { total, share: Math.ceil(total / 2), waiting: 32, waitMs: 15_000, work: 'large reads' };
}

type Settings = Config<(typeof COMPOSE_SETTINGS)[number]>;

/** The parts of the context that are not settings. */
type ContextParts = Pick<
  ServiceContext,
  'db' | 'childZones' | 'delegation' | 'sightKeys' | 'prepareAlias' | 'tokens' | 'now'
>;

export function createContext(config: Settings, parts: ContextParts): ServiceContext {
  return {
    ...parts,
    queue: createZoneQueue(config.ZONESTEAD_BUSY_AFTER_MS),
    busyAfterMs: config.ZONESTEAD_BUSY_AFTER_MS,
    imports: limitWork(IMPORTS),
    additions: limitWork({ ...ADDITIONS, waitMs: config.ZONESTEAD_BUSY_AFTER_MS }),
    largeReads: limitWork(largeReads(config.ZONESTEAD_DATABASE_CONNECTIONS)),
    keyring: new Keyring(config.ZONESTEAD_ENCRYPTION_KEYS ?? []),
    commits: createCommits(),
    nameservers: config.ZONESTEAD_NAMESERVERS,
    allowPublicSuffixes: config.ZONESTEAD_PUBLIC_SUFFIXES === 'allow',
    reservedNames: config.ZONESTEAD_RESERVED_NAMES,
    quotas: quotasIn(config),
    readOnly: config.ZONESTEAD_READ_ONLY,
    historyBytes: config.ZONESTEAD_HISTORY_BYTES,
    quarantineMs: config.ZONESTEAD_QUARANTINE_HOURS * HOUR_MS,
    random: randomBytes,
  };
}

function quotasIn(config: Settings): ServiceContext['quotas'] {
  return {
    zones: config.ZONESTEAD_QUOTA_ZONES,
    records: config.ZONESTEAD_QUOTA_RECORDS,
    bytes: config.ZONESTEAD_QUOTA_BYTES,
    keys: config.ZONESTEAD_QUOTA_KEYS,
    members: config.ZONESTEAD_QUOTA_MEMBERS,
  };
}
