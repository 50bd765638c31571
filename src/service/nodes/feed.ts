// The feed of one process: its hub, and the reads of single zones.
import type { Limit } from '#base/limit.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
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
}

/** `zoneLine` of the contract. */
type ZoneLine =
  | ({ kind: 'zone' } & ZoneHead & RenderSettings)
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
  return writeLines(zone);
}

async function* writeLines({ head, settings, pages, close }: OpenZone): AsyncGenerator<string> {
  try {
    yield text({ kind: 'zone', ...head, ...settings });
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
