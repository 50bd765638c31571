// A large change of a zone as a zone file that knotd loads and signs in the background. In a commit, Knot 3.2 would
// sign within its only control thread, and all changes of other zones would wait for half a minute with 100,000
// records.
//
//     file is written → the zone gets the items below → it is loaded, signed and served in one step
//     → the items are unset → the file is deleted
//
// After an interruption at any point, the zone has its old contents or all of the new ones, also after a restart of
// knotd: the items stay until the file was loaded, and the journal holds the result. `tidyLoads` removes file and items
// after an interruption.
//
// - `zonefile-load: difference` makes the same incremental change as a commit, and needs a file with a later serial.
// - The first contents of a zone get the serial after that of the file, because knotd signs them, so the file has an
//   earlier one, and `serial-policy` is needed.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { ServedSet } from '#dns/served.ts';
import type { ZoneSoa } from '../engine.ts';
import type { KnotArguments, KnotControl, KnotItem } from './control.ts';
import { isRefusal } from './errors.ts';
import type { KnotFolder } from './folder.ts';
import { absolute, unitOfSoa, unitsOfSet } from './records.ts';
import { changeZoneItems } from './zone-items.ts';

export interface ZoneLoad {
  readonly zone: string;
  readonly soa: ZoneSoa;
  /** The serial that the zone has afterwards. */
  readonly serial: number;
  /** Whether the zone has contents now. */
  readonly isHeld: boolean;
  /** All RRsets, by name. */
  readonly contents: ReadonlyMap<string, readonly ServedSet[]>;
}

export interface LoadContext {
  readonly control: KnotControl;
  readonly folder: KnotFolder;
  /** (Default: the system's.) */
  readonly clock?: Clock;
}

const LOOK_MS = 100;
const FILE = /^load-.*\.zone$/;
const ITEMS = ['zonefile-load', 'file', 'serial-policy'] as const;
/** Names that mean the same in a zone file as in the control protocol. */
const PLAIN = /^(@|[a-z0-9_*-]+(\.[a-z0-9_*-]+)*)$/i;
/** Octets that are written to the file at once. */
const PIECE = 64 * 1024;

/**
 * Resolves when the zone is served. No change of the configuration may be under way: Knot lets it wait for the load.
 * @returns false if knotd does not take the contents, which are as before then: a commit says why
 * @throws KnotError; the signal's reason
 */
export async function loadKnotZone(context: LoadContext, load: ZoneLoad, signal: AbortSignal): Promise<boolean> {
  const { control, folder, clock = realClock } = context;
  const { zone, serial, isHeld, contents } = load;
  for (const name of contents.keys()) if (!PLAIN.test(name)) return false;
  // A file's name has at most 255 octets, and a zone's name almost as many.
  const file = join(folder.storage, `load-${createHash('sha256').update(zone).digest('hex')}.zone`);
  await pipeline(Readable.from(pieces(load)), createWriteStream(file, { mode: 0o600 }), { signal });
  const items = [
    { zone, item: 'zonefile-load', data: 'difference' },
    { zone, item: 'file', data: file },
    ...(isHeld ? [] : [{ zone, item: 'serial-policy', data: 'increment' }]),
  ];
  const at = { zone: absolute(zone) };
  await changeZoneItems(control, items, signal);
  let isAsked = false;
  let isServed = false;
  for (;;) {
    const states = await control.run('zone-status', at, signal);
    isServed = findState(states, 'serial') === String(serial);
    if (isServed || (isAsked && !isLoading(states))) break;
    // Knot loads a zone by itself when some of its items change, but not with all changes.
    if (!isLoading(states)) await control.run('zone-reload', at, signal);
    isAsked = true;
    await sleep(clock, LOOK_MS, signal);
  }
  await unset(control, [zone], signal);
  await rm(file, { force: true });
  return isServed;
}

/** Whether knotd loads the zone now, or is about to. @param states the answer to `zone-status` */
export function isLoading(states: readonly KnotItem[]): boolean {
  // Knot 3.4 adds the time: `running(+3s)`.
  return /^(running|pending)\b/.test(findState(states, 'load') ?? '');
}

/** Removes items and files that interrupted loads left. No load may be under way. */
export async function tidyLoads({ control, folder }: LoadContext, signal: AbortSignal): Promise<void> {
  const set = await control.run('conf-read', { section: 'zone', item: 'zonefile-load' }, signal).catch((error) => {
    if (isRefusal(error, 'not exists', 'not found')) return [];
    throw error;
  });
  const leftoverNames = set.map(({ id = '' }) => id.slice(0, -1));
  if (leftoverNames.length > 0) await unset(control, leftoverNames, signal);
  for (const name of await readdir(folder.storage)) {
    if (FILE.test(name)) await rm(join(folder.storage, name), { force: true });
  }
}

function* pieces({ zone, soa, serial, isHeld, contents }: ZoneLoad): Iterable<string> {
  const first = isHeld ? serial : (serial + 2 ** 32 - 1) % 2 ** 32;
  let text = `$ORIGIN ${absolute(zone)}\n${formatLine(unitOfSoa(zone, soa, first))}`;
  for (const sets of contents.values()) {
    for (const set of sets) for (const unit of unitsOfSet(zone, set)) text += formatLine(unit);
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

function formatLine({ owner, ttl, type, data }: KnotArguments): string {
  return `${owner} ${ttl} ${type} ${data}\n`;
}

function findState(states: readonly KnotItem[], type: string): string | undefined {
  return states.find((state) => state.type === type)?.data;
}

function unset(control: KnotControl, zones: readonly string[], signal: AbortSignal): Promise<void> {
  const items = zones.flatMap((zone) => ITEMS.map((item) => ({ zone, item })));
  return changeZoneItems(control, items, signal);
}
