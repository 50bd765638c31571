// The feed of one process: its hub, and the reads of single zones.
import type { Keyring } from '#base/keyring.ts';
import type { Limit } from '#base/limit.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import type { ServedKey } from '#store/served-zones.ts';
import { ownerOfKey } from '#store/zone-keys.ts';
import type { Vantages } from '../checks/observations.ts';
import { refusal } from '../refusal.ts';
import type { Arrivals } from './arrivals.ts';
import type { Hub } from './hub.ts';
import type { Reports } from './reports.ts';
import type { RenderSettings, ServedSource, ZoneHead } from './source.ts';

export interface Feed {
  readonly hub: Hub;
  readonly source: ServedSource;
  readonly reports: Reports;
  readonly arrivals: Arrivals;
  readonly vantages: Vantages;
  /** Limits the reads that hold a database connection while a node reads. */
  readonly reads: Limit;
  /** Decrypts the private keys of zones. */
  readonly keyring: Keyring;
}

/** `zoneLine` of the contract. */
type ZoneLine =
  | ({ kind: 'zone'; keys: Omit<ServedKey, 'publicKey'>[] } & ZoneHead & Omit<RenderSettings, 'keys'>)
  | { kind: 'sets'; sets: ServedSet[] }
  | { kind: 'end'; sets: number; digest: string };

interface OpenZone {
  head: ZoneHead;
  settings: RenderSettings;
  pages: AsyncIterable<ServedSet[]>;
  /** Must be called at the end. Further calls have no effect. */
  close(): void;
}

/** @throws Refusal no_zone, busy */
async function openZone(feed: Feed, keyId: string, zoneId: string, signal: AbortSignal): Promise<OpenZone> {
  const end = new AbortController();
  const release = await feed.reads.take(keyId, signal);
  const close = () => {
    release();
    end.abort();
  };
  // A reader that left may never have begun to read.
  signal.addEventListener('abort', close, { once: true });
  try {
    const zone = await feed.source.zone(zoneId, AbortSignal.any([signal, end.signal]));
    if (zone === null) throw refusal('no-zone');
    signal.throwIfAborted();
    return { ...zone, close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * One zone of one snapshot, as lines. The caller must read them to their end, or abort.
 * @throws Refusal no_zone, busy
 */
export async function readFeedZone(
  feed: Feed,
  keyId: string,
  zoneId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  const zone = await openZone(feed, keyId, zoneId, signal);
  try {
    return writeLines(zone, openKeys(feed.keyring, zone));
  } catch (error) {
    zone.close();
    throw error;
  }
}

/** @throws Refusal busy, which names what is missing */
function openKeys(keyring: Keyring, { head, settings }: OpenZone) {
  return settings.keys.map((key) => {
    try {
      const privateKey = keyring.open(key.privateKey, ownerOfKey(key));
      return { privateKey, algorithm: key.algorithm, state: key.state };
    } catch (error) {
      throw refusal('zone-key-unreadable', { name: head.name, cause: (error as Error).message });
    }
  });
}

async function* writeLines(
  { head, settings, pages, close }: OpenZone,
  keys: ReturnType<typeof openKeys>,
): AsyncGenerator<string> {
  try {
    yield text({ kind: 'zone', ...head, ...settings, keys });
    let count = 0;
    let digest = EMPTY_DIGEST;
    for await (const sets of pages) {
      if (sets.length === 0) continue;
      count += sets.length;
      digest = addToDigest(digest, sets);
      yield text({ kind: 'sets', sets });
    }
    yield text({ kind: 'end', sets: count, digest });
  } finally {
    close();
  }
}

/** The digest of one zone. @throws Refusal no_zone, busy */
export async function readDigest(
  feed: Feed,
  keyId: string,
  zoneId: string,
  signal: AbortSignal,
): Promise<ZoneHead & { sets: number; digest: string }> {
  const { head, pages, close } = await openZone(feed, keyId, zoneId, signal);
  try {
    let count = 0;
    let digest = EMPTY_DIGEST;
    for await (const sets of pages) {
      count += sets.length;
      digest = addToDigest(digest, sets);
    }
    return { ...head, sets: count, digest };
  } finally {
    close();
  }
}

function text(line: ZoneLine): string {
  return `${JSON.stringify(line)}\n`;
}
