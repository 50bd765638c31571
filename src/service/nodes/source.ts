// The source of the feed for name servers: where the database is, which names changed since a position, and the RRsets
// of names and of whole zones as they are now.
import type { Denial } from '#dns/dnssec/denial.ts';
import { orderName } from '#dns/names/name.ts';
import { SOA_TIMERS, SOA_TTL } from '#dns/own-records.ts';
import type { ServedSet } from '#dns/served.ts';
import type { Db, Tx } from '#store/database.ts';
import { type FeedChange, feedChangesSince, feedPosition, MAX_NAMES } from '#store/feed-changes.ts';
import {
  type NameRows,
  readAliasAnswers,
  type ServedKey,
  type ServedZone,
  servedNames,
  servedRows,
  type WholeZone,
  wholeZone,
  type ZoneHead,
  zoneHeads,
} from '#store/served-zones.ts';
import { snapshotPages } from '#store/snapshot.ts';
import { LONGEST_CURSOR, parseCursor } from './cursor.ts';
import { renderName } from './render.ts';
import { type SealedOrigin, sealZone } from './seal.ts';

export type { ZoneHead } from '#store/served-zones.ts';

export interface RenderSettings {
  /** Names are absolute with a final dot; times are in seconds. */
  soa: { mname: string; rname: string; refresh: number; retry: number; expire: number; minimum: number; ttl: number };
  /** As they are stored: `openKeys` of the feed decrypts them. */
  keys: readonly ServedKey[];
  denial: Denial;
  /** The node keeps it for a restored database. */
  origin: SealedOrigin;
}

export type ServedChange =
  /** Names are relative to the zone; null: the whole zone. */
  | { kind: 'changed'; zoneId: string; names: string[] | null }
  | { kind: 'gone'; zoneId: string; name: string }
  /** The settings of the service changed, which are part of every zone. */
  | { kind: 'all' };

/** A row of the database; `xid` and `no` identify it. */
export type ServedRow = ServedChange & { xid: string; no: number };

export interface ServedChanges {
  cursor: string;
  epoch: string;
  /** To be given to the reader's next look. */
  seen: string;
  changes: ServedRow[];
}

export interface ServedSource {
  /** The cursor of the database as it is now. */
  position(): Promise<string>;
  /**
   * The changes that committed since the cursor, in the order of their transaction ids, which is not that of their
   * commits. They say where to look: the names are rendered as they are now.
   * @param seen that in the result of this reader's last look, together with its cursor: the reader gets each row
   * once. (Default: the snapshot in the cursor.)
   * @returns null if the cursor cannot be continued: malformed, of another database or timeline, of before a restart of
   * Postgres, older than the pruned changes, ahead of the database, or behind by more than 10,000 changes or 100,000
   * names
   */
  changesSince(cursor: string, seen?: string): Promise<ServedChanges | null>;
  /**
   * The RRsets of the names, and the head of the zone, of one snapshot.
   * @param names relative to the zone, each once
   * @returns null if the zone does not exist.
   * @throws RangeError with more than 1,000 names
   */
  render(zoneId: string, names: readonly string[]): Promise<{ head: ZoneHead; sets: ServedSet[] } | null>;
  /**
   * All zones of one snapshot, in pages of at most 1,000. It holds a connection until the last page, or until the loop
   * is left.
   */
  list(signal: AbortSignal): AsyncIterable<ZoneHead[]>;
  /**
   * A whole zone of one snapshot, its RRsets in pages of at most 500. It holds a connection until the last page is
   * read, the loop is left or the signal aborts; a reader that takes no page for 30 s loses it.
   * @returns null if the zone does not exist
   */
  zone(
    zoneId: string,
    signal: AbortSignal,
  ): Promise<{ head: ZoneHead; settings: RenderSettings; pages: AsyncIterable<ServedSet[]> } | null>;
}

const HEADS = 1_000;
const SETS = 500;
/** A page ends with the name that reaches so many characters of RDATA. */
const CHARACTERS = 256 * 1024;

export function createServedSource({ db }: { db: Db }): ServedSource {
  return {
    async position() {
      return formatCursor(await feedPosition(db));
    },

    async changesSince(cursor, seenSnapshot) {
      const since = parseCursor(cursor);
      if (since === null) return null;
      const from = { epoch: since.epoch, horizon: String(since.xid), seen: seenSnapshot ?? since.snapshot };
      const feedChanges = await feedChangesSince(db, from);
      if (feedChanges === null) return null;
      const { position, changes } = feedChanges;
      return {
        cursor: formatCursor(position),
        epoch: position.epoch,
        seen: position.seen,
        changes: changes.map(toServedRow),
      };
    },

    async render(zoneId, names) {
      if (names.length > MAX_NAMES) throw new RangeError(`${names.length} names; at most ${MAX_NAMES} are rendered`);
      const zoneRows = await servedNames(db, zoneId, names.map(orderName));
      if (zoneRows === null) return null;
      const { zone, aliases } = zoneRows;
      return { head: headOf(zone), sets: zoneRows.names.flatMap((name) => renderName(zone, name, aliases)) };
    },

    list: (signal) =>
      untilAborted(
        snapshotPages(db, (tx) => zoneHeads(tx, HEADS)),
        signal,
      ),

    async zone(zoneId, signal) {
      const all = untilAborted(
        snapshotPages(db, (tx) => zonePages(tx, zoneId)),
        signal,
      );
      const first = await all.next();
      if (first.done) return null;
      const { head, settings } = first.value as ZoneStart;
      return { head, settings, pages: all as AsyncIterable<ServedSet[]> };
    },
  };
}

/**
 * The snapshot tells which transactions after the first one in progress had ended. With the horizon alone, a long
 * transaction anywhere in the cluster would keep every node from showing that it has later changes.
 */
function formatCursor({ epoch, horizon, seen }: { epoch: string; horizon: string; seen: string }): string {
  const cursor = `${epoch}:${seen}`;
  return cursor.length <= LONGEST_CURSOR ? cursor : `${epoch}:${horizon}`;
}

function toServedRow({ xid, no, kind, zoneId, zoneName, names }: FeedChange): ServedRow {
  switch (kind) {
    case 'all':
      return { kind, xid, no };
    case 'gone':
      return { kind, zoneId: zoneId as string, name: zoneName as string, xid, no };
    case 'changed':
      return { kind, zoneId: zoneId as string, names, xid, no };
  }
}

function headOf({ id, name, version, serial }: ServedZone): ZoneHead {
  return { id, name, version, serial };
}

interface ZoneStart {
  head: ZoneHead;
  settings: RenderSettings;
}

/** The first page is the head of the zone. */
async function* zonePages(tx: Tx, zoneId: string): AsyncGenerator<ZoneStart | ServedSet[]> {
  const zone = await wholeZone(tx, zoneId);
  if (zone === null) return;
  yield { head: headOf(zone), settings: buildSettings(zone) };
  let names: NameRows[] = [];
  let [sets, characters] = [0, 0];
  let hasApex = false;
  for await (const name of servedRows(tx, zone)) {
    // The apex has NS records even if the zone has no records at all; it comes first.
    if (!hasApex && name.ordername !== '') names.push(APEX);
    hasApex = true;
    names.push(name);
    // Every record may become two RRsets at most, and the service's own are two.
    sets += 2 + 2 * name.records.length;
    for (const { rdata } of name.records) characters += rdata.length;
    if (sets < SETS && characters < CHARACTERS) continue;
    yield* splitPages(await renderAll(tx, zone, names));
    names = [];
    [sets, characters] = [0, 0];
  }
  if (!hasApex) names.push(APEX);
  yield* splitPages(await renderAll(tx, zone, names));
}

const APEX: NameRows = { ordername: '', records: [], child: null };

async function renderAll(tx: Tx, zone: WholeZone, names: readonly NameRows[]): Promise<ServedSet[]> {
  const targets = names.flatMap(({ records }) => records.filter(({ type }) => type === 'ALIAS'));
  const aliases = await readAliasAnswers(tx, zone.owner, [...new Set(targets.map(({ rdata }) => rdata))]);
  return names.flatMap((name) => renderName(zone, name, aliases));
}

function* splitPages(sets: readonly ServedSet[]): Generator<ServedSet[]> {
  for (let at = 0; at < sets.length; at += SETS) yield sets.slice(at, at + SETS);
}

function buildSettings(zone: WholeZone): RenderSettings {
  const { nameservers, hostmaster, keys } = zone;
  const { id, name, teamId: team, userId: user, state, defaultTtl, denial } = zone;
  const originKeys = keys.map((key) => ({ publicKey: key.publicKey, algorithm: key.algorithm, state: key.state }));
  const origin = { team, user, state, defaultTtl, denial, keys: originKeys };
  return {
    soa: { mname: `${nameservers[0]}.`, rname: `${hostmaster}.`, ...SOA_TIMERS, ttl: SOA_TTL },
    keys,
    denial,
    origin: { ...origin, seal: sealZone(zone.sealSecret, { id, name, origin }) },
  };
}

/** Ends the snapshot when the signal aborts, also while no page is requested. @throws the reason of the signal */
function untilAborted<Page>(pages: AsyncGenerator<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  const leave = () => void pages.return(undefined).catch(() => undefined);
  async function* guarded(): AsyncGenerator<Page> {
    signal.throwIfAborted();
    signal.addEventListener('abort', leave, { once: true });
    try {
      for await (const page of pages) {
        signal.throwIfAborted();
        yield page;
      }
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
  return guarded();
}
