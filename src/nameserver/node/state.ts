// The memory of the node over a restart: its position in the feed, and the contents of the name server by zone.
//
// The file never says more than the name server holds: a row is written after the commit in the name server, and rows
// and cursor are written in one transaction. After a crash at any line the file is at most older than the name server,
// and the feed says the missing part again. If a write fails (a full disk), the rows wait in memory, and the cursor
// waits with them.
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ending, type SealedEnding } from '#contract/feed-salvage.ts';
import { textOfError } from './faults.ts';
import type { Unlisted } from './removals.ts';

/** In place of the hash: the name server refused a change because it has no usable key any more. */
export const KEY_LOST = 'lost';

export interface KnownZone {
  readonly name: string;
  readonly id: string;
  /** The version that was applied last. */
  readonly version: string;
  readonly serial: number;
  /** The serial that the name server serves; null if it has no contents, or none that is known. */
  readonly engineSerial: number | null;
  /** The SOA that was applied last, as JSON. */
  readonly soa: string | null;
  /** A hash of the key that the name server has. */
  readonly key: string | null;
  /** How the name server denies names of the zone; null: not known. */
  readonly denial: string | null;
  /**
   * The contents are those of `version` as a whole. A change line sets it to false: the version of its zone may include
   * a change of another name, whose line comes later.
   */
  readonly isExact: boolean;
  /** The contents may differ from the feed up to the cursor: the zone must be read again. */
  readonly isDirty: boolean;
  /** The values that a restored database needs in addition to contents and key, as JSON. */
  readonly origin: string | null;
  /** Why the zone stays although the last list did not contain it; null if the list did. */
  readonly unlisted: Unlisted | null;
}

interface NodeFacts {
  /** Everything up to here is applied, except for zones that are dirty; null before the first list. */
  readonly cursor: string | null;
  /** The database of the last list that was applied. */
  readonly epoch: string | null;
  /** The last request for a comparison that was taken up. */
  readonly compare: string | null;
  /** The part of the node in zone transfers, as JSON; see transfers.ts. */
  readonly transfers: string | null;
  /** The version of the endings that were read last, and where the next ones begin, as JSON. */
  readonly endings: string | null;
}

export interface NodeState {
  /** Made together with the file: two nodes with one name differ in it. */
  readonly instance: string;
  facts(): NodeFacts;
  setFacts(facts: Partial<NodeFacts>): void;
  rows(): ReadonlyMap<string, KnownZone>;
  /** The names of the rows of zones that stay although the last list did not contain them. */
  unlisted(): ReadonlySet<string>;
  put(row: KnownZone): void;
  delete(name: string): void;
  /** Adds endings, and forgets those before a time. At once in the file. @throws if it cannot be written */
  addEndings(endings: readonly SealedEnding[], before: string): void;
  /** The endings, the oldest first. */
  endings(): SealedEnding[];
  /** Several changes in one transaction. */
  batch(work: () => void): void;
  /** Why the file cannot be written; null if it can. */
  problem(): string | null;
  close(): void;
}

interface OpenedState {
  readonly state: NodeState;
  /** Why the node begins without memory, and whether it had one; null if it continues with the file. */
  readonly anew: { readonly reason: string; readonly isLoss: boolean } | null;
}

interface StateLimits {
  /** The file has at most so many pages of 4 KiB. (Default: as many as there is room for.) */
  readonly maxPages?: number;
}

const FILE = 'node.sqlite';
const FORM = 5;
/** The newest endings that a node remembers: about 20 MB. */
const MAX_ENDINGS_KEPT = 100_000;
const SQLITE_BUSY = 5;
const UNREADABLE = new Set([11, 26]);

/**
 * Opens or makes the state in the folder. An unreadable file is kept next to the new one as `node.sqlite.unreadable`.
 * @throws Error if another process uses the folder, or the folder cannot be used
 */
export function openState(folder: string, limits: StateLimits = {}): OpenedState {
  const file = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return load(file, limits);
  } catch (error) {
    const code = (error as { errcode?: number }).errcode ?? 0;
    if (code === SQLITE_BUSY) throw new Error(`Another process uses ${file}. Give each node a folder of its own.`);
    const isUnreadable = UNREADABLE.has(code & 0xff) || error instanceof OtherForm;
    if (!isUnreadable)
      throw new Error(
        `The state ${file} cannot be opened (${textOfError(error)}). The node needs a folder that it may write.`,
      );
    renameSync(file, `${file}.unreadable`);
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    return {
      state: load(file, limits).state,
      anew: {
        reason: `${file} is unreadable (${textOfError(error)}); it is kept as ${FILE}.unreadable`,
        isLoss: true,
      },
    };
  }
}

class OtherForm extends Error {}

function load(file: string, { maxPages }: StateLimits): OpenedState {
  const db = new DatabaseSync(file);
  try {
    // The lock lasts until the process ends, also by a kill.
    db.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal; begin immediate; commit',
    );
    if (maxPages !== undefined) db.exec(`pragma max_page_count = ${maxPages}`);
    const form = Number(db.prepare('pragma user_version').get()?.user_version);
    if (form !== 0 && form !== FORM) throw new OtherForm(`it has form ${form}, this version reads form ${FORM}`);
    const check = db.prepare('pragma quick_check(1)').get()?.quick_check;
    if (check !== 'ok') throw new OtherForm(String(check));
    const isNew = form === 0;
    if (isNew) create(db);
    return { state: wrap(db), anew: isNew ? { reason: `${file} did not exist`, isLoss: false } : null };
  } catch (error) {
    db.close();
    throw error;
  }
}

function create(db: DatabaseSync): void {
  db.exec(`begin;
    create table node (instance text not null, cursor text, epoch text, compare text, transfers text, endings text);
    create table endings (seal text primary key, action text not null, subject text not null, team text, at text not null);
    create table zones (
      name text primary key, id text not null, version text not null, serial integer not null, engine_serial integer,
      soa text, key text, denial text, exact integer not null, dirty integer not null, unlisted text, unlisted_since real,
      origin text
    ) without rowid;
    pragma user_version = ${FORM};`);
  db.prepare('insert into node (instance) values (?)').run(randomUUID());
  db.exec('commit');
}

function wrap(db: DatabaseSync): NodeState {
  const node = db.prepare('select instance, cursor, epoch, compare, transfers, endings from node').get();
  if (node === undefined) throw new OtherForm('it has no row of the node');
  const rows = new Map<string, KnownZone>();
  const unlistedNames = new Set<string>();
  const keep = (row: KnownZone): void => {
    rows.set(row.name, row);
    if (row.unlisted === null) unlistedNames.delete(row.name);
    else unlistedNames.add(row.name);
  };
  for (const row of db.prepare('select * from zones').all()) keep(readRow(row));
  let facts: NodeFacts = {
    cursor: textOrNull(node.cursor),
    epoch: textOrNull(node.epoch),
    compare: textOrNull(node.compare),
    transfers: textOrNull(node.transfers),
    endings: textOrNull(node.endings),
  };

  const write = db.prepare('insert or replace into zones values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const erase = db.prepare('delete from zones where name = ?');
  const place = db.prepare('update node set cursor = ?, epoch = ?, compare = ?, transfers = ?, endings = ?');
  const addEnding = db.prepare(
    'insert or ignore into endings (seal, action, subject, team, at) values (?, ?, ?, ?, ?)',
  );
  const dropEndings = db.prepare('delete from endings where at < ?');
  const boundEndings = db.prepare(
    'delete from endings where seal in (select seal from endings order by at desc, seal limit -1 offset ?)',
  );
  const unsavedNames = new Set<string>();
  let factsUnsaved = false;
  let depth = 0;
  let problem: string | null = null;

  const save = (): void => {
    if (depth > 0 || (unsavedNames.size === 0 && !factsUnsaved)) return;
    try {
      db.exec('begin immediate');
      for (const name of unsavedNames) {
        const row = rows.get(name);
        if (row === undefined) erase.run(name);
        else write.run(...toColumns(row));
      }
      if (factsUnsaved) place.run(facts.cursor, facts.epoch, facts.compare, facts.transfers, facts.endings);
      db.exec('commit');
      unsavedNames.clear();
      factsUnsaved = false;
      problem = null;
    } catch (error) {
      problem = textOfError(error);
      if (db.isTransaction) db.exec('rollback');
    }
  };

  return {
    instance: String(node.instance),
    facts: () => facts,
    setFacts: (change) => {
      facts = { ...facts, ...change };
      factsUnsaved = true;
      save();
    },
    rows: () => rows,
    unlisted: () => unlistedNames,
    put: (row) => {
      keep(row);
      unsavedNames.add(row.name);
      save();
    },
    delete: (name) => {
      if (!rows.delete(name)) return;
      unlistedNames.delete(name);
      unsavedNames.add(name);
      save();
    },
    addEndings: (endings, before) => {
      db.exec('begin immediate');
      try {
        for (const { seal, action, subject, team, at } of endings) addEnding.run(seal, action, subject, team, at);
        dropEndings.run(before);
        boundEndings.run(MAX_ENDINGS_KEPT);
        db.exec('commit');
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
    endings: () =>
      db.prepare('select seal, action, subject, team, at from endings order by at, seal').all().flatMap(readEnding),
    batch: (work) => {
      depth += 1;
      try {
        work();
      } finally {
        depth -= 1;
        save();
      }
    },
    problem: () => problem,
    close: () => db.close(),
  };
}

type Columns = Record<string, unknown>;

function readRow(row: Columns): KnownZone {
  return {
    name: String(row.name),
    id: String(row.id),
    version: String(row.version),
    serial: Number(row.serial),
    engineSerial: row.engine_serial === null ? null : Number(row.engine_serial),
    soa: textOrNull(row.soa),
    key: textOrNull(row.key),
    denial: textOrNull(row.denial),
    isExact: row.exact === 1,
    isDirty: row.dirty === 1,
    unlisted: readUnlisted(row),
    origin: textOrNull(row.origin),
  };
}

function readUnlisted({ unlisted, unlisted_since: since }: Columns): Unlisted | null {
  if (unlisted !== 'restored' && unlisted !== 'many') return null;
  return { reason: unlisted, since: Number(since) };
}

function toColumns(row: KnownZone) {
  const { name, id, version, serial, engineSerial, soa, key, denial, isExact, isDirty, unlisted, origin } = row;
  return [
    name,
    id,
    version,
    serial,
    engineSerial,
    soa,
    key,
    denial,
    Number(isExact),
    Number(isDirty),
    unlisted?.reason ?? null,
    unlisted?.since ?? null,
    origin,
  ] as const;
}

function readEnding(row: Columns): SealedEnding[] {
  const result = ending.safeParse({ ...row });
  return result.success ? [result.data] : [];
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The row of a zone of which nothing is applied yet. */
export function emptyRow(name: string, id: string): KnownZone {
  const nothing = { version: '', serial: 0, engineSerial: null, soa: null, key: null, denial: null };
  return { name, id, ...nothing, isExact: false, isDirty: true, unlisted: null, origin: null };
}
