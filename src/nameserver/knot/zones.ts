// The zones of one knotd: the list, contents, changes, keys.
//
//     not there  → add    → in the configuration, with its key, without contents: SERVFAIL
//                → change → served and signed, from the first commit on
//                → remove → not there; contents, journal, timers and key are deleted
import { realClock } from '#base/clock.ts';
import { createSerial } from '#base/serial.ts';
import { sleep } from '#base/wait.ts';
import { isCatalogName } from '#dns/secondaries/catalog.ts';
import type { ServedSet } from '#dns/served.ts';
import type { EngineZone, ZoneChange, ZoneEngine } from '../engine.ts';
import { beginConfiguration } from './apply.ts';
import type { KnotControl, KnotItem, KnotSession } from './control.ts';
import { isRefusal, KnotError, withRemedy } from './errors.ts';
import { type KeyStore, keyIdOfPublic, publicKeyOf, type ZoneKey } from './keys.ts';
import { isLoading, type LoadContext, loadZone, tidyLoads } from './load.ts';
import { pagesOf } from './pages.ts';
import { absolute, SetCollector, soaOf } from './records.ts';
import { checkRoom } from './room.ts';
import { changeZone, checkLoaded, serialOf } from './transaction.ts';

const NO_ZONE = 'no such zone found';
const NO_NODE = 'no such node in zone found';

/** More RRsets are loaded from a file: a commit of so many takes about a second. */
const LOAD_SETS = 2_000;
const LOADING_MS = 500;

export interface ZoneEngineOptions extends LoadContext {
  keys: KeyStore;
  /** Changes with more RRsets are loaded. (Default: 2,000.) */
  loadSets?: number;
}

export interface KnotEngine extends ZoneEngine {
  /** Removes the files and settings that interrupted loads of large zones left. */
  tidy(signal: AbortSignal): Promise<void>;
}

export function zoneEngine(options: ZoneEngineOptions): KnotEngine {
  const { control, keys, clock = realClock, loadSets = LOAD_SETS } = options;
  const changes = createSerial();
  // Additions, removals and loads change the configuration. Knot lets such a change wait until no zone is being loaded, and
  // with it all other commands, so they wait here for each other and for loads.
  const lists = createSerial();
  /** Zones that were added here and have no contents yet. */
  const added = new Set<string>();
  /** The zones in the configuration after the last look or change; null: not known. */
  let known: Set<string> | null = null;
  /** Whether no key, journal or timer of a zone is left that is not configured. */
  let isSwept = false;
  /** The number of changes of the configuration, counted at their beginning and at their end: odd while one is being made. */
  let edits = 0;

  return {
    version: async (signal) => {
      const [item] = await control.run('status', { type: 'version' }, signal);
      return `Knot DNS ${item?.data?.replace(/^Version: /, '') ?? ''}`.trim();
    },

    zones: async (signal) => {
      const before = edits;
      const held = await control.session(listZones, signal);
      // A list that was read during a change may lack its zones, or have those that it removes.
      if (edits === before && before % 2 === 0) look(held);
      return held;
    },

    // One at a time: the sweep deletes keys whose zones are not configured yet.
    add: (zones, signal) =>
      edited(signal, async () => {
        const there = isSwept && known !== null ? known : await prepared(signal);
        const wanted = zones.map(({ name, privateKey, isKeyLost }) => ({ zone: name, privateKey, isKeyLost }));
        const held = wanted.filter(({ zone }) => there.has(zone));
        const missing = wanted.filter(({ zone }) => !there.has(zone));
        if (missing.length > 0) await addNew(missing, signal);
        for (const { zone } of missing) {
          there.add(zone);
          added.add(zone);
        }
        await replaceKeys(held, signal);
      }),

    remove: (names, signal) =>
      edited(signal, async () => {
        const held = await control.session(listZones, signal);
        const there = look(held);
        const present = names.filter((name) => there.has(name));
        for (const name of present) added.delete(name);
        if (present.length === 0) return;
        const ids: string[] = [];
        for (const [zone, published] of await publishedKeys(present, signal)) {
          ids.push(...(published.length > 0 ? published.map(keyIdOfPublic) : await keys.list(zone, signal)));
        }
        await untilLoaded(held, signal);
        await control.session((session) => configure(session, 'conf-unset', present), signal);
        for (const name of present) there.delete(name);
        await sweep(held, signal);
        await keys.forget(ids);
      }),

    check: (name, signal) => control.session((session) => checkLoaded(session, name), signal),

    read: (name, signal) => readZone(control, name, signal),

    tidy: (signal) => lists('', () => tidyLoads(options, signal), signal),

    change: (name, change, signal) => {
      const commit = async () => {
        await checkRoom(options.folder.storage, change.sets.length);
        const loaded = change.sets.length > loadSets ? await load(name, change, signal) : null;
        if (loaded !== null) {
          added.delete(name);
          return loaded;
        }
        try {
          const isNew = added.has(name);
          const serial = await control.session((session) => changeZone(session, name, change, { isNew }), signal);
          added.delete(name);
          return serial;
        } catch (error) {
          // A value that is none closes the connection. An open transaction would stay in knotd's memory.
          const isReachable = !(error instanceof KnotError) || error.failure === 'refused';
          if (isReachable && !signal.aborted) await control.run('zone-abort', { zone: absolute(name) }).catch(() => {});
          throw withRemedy(error);
        }
      };
      return changes(name, commit, signal);
    },
  };

  /** A change of the list of zones. After a failure, the next one begins with a look, and with the sweep. */
  async function edited(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const edit = async () => {
      edits += 1;
      try {
        await work();
      } catch (error) {
        known = null;
        isSwept = false;
        throw error;
      } finally {
        edits += 1;
      }
    };
    await lists('', edit, signal);
  }

  /** A zone that somebody else removed may have left its key and its journal. */
  function look(held: readonly EngineZone[]): Set<string> {
    const names = new Set(held.map(({ name }) => name));
    const isSame = known !== null && known.size === names.size && known.isSubsetOf(names);
    if (!isSame) isSwept = false;
    known = names;
    return names;
  }

  /**
   * Lists the zones, and deletes the keys and journals of others: a removal, or an addition, that did not come to its end. Both take
   * time for every zone, so a list of many new zones needs them once.
   */
  async function prepared(signal: AbortSignal): Promise<Set<string>> {
    const held = await control.session(listZones, signal);
    const there = look(held);
    await sweep(held, signal);
    isSwept = true;
    return there;
  }

  /** @returns the serial that is served; null if the change must be a commit */
  async function load(zone: string, change: ZoneChange, signal: AbortSignal): Promise<number | null> {
    const { whole: contents } = change;
    if (contents === undefined) return null;
    const loadFile = async () => {
      await untilLoaded(await control.session(listZones, signal), signal);
      const held = await servedSoa(zone, signal);
      const soa = change.soa ?? held?.soa;
      if (soa === undefined) return null;
      const serial = serialOf(held?.serial ?? null, change);
      const isServed = await loadZone(options, { zone, soa, serial, isHeld: held !== null, contents }, signal);
      return isServed ? serial : null;
    };
    return lists('', loadFile, signal);
  }

  async function servedSoa(zone: string, signal: AbortSignal): Promise<ReturnType<typeof soaOf>> {
    try {
      return soaOf(await control.run('zone-read', { zone: absolute(zone), owner: '@', type: 'SOA' }, signal));
    } catch (error) {
      if (isRefusal(error, NO_NODE)) return null;
      throw error;
    }
  }

  /** Waits until none of the zones without contents is being loaded: after a start of knotd, that is half a minute for a large one. */
  async function untilLoaded(held: readonly EngineZone[], signal: AbortSignal): Promise<void> {
    let loading = held.filter(({ serial }) => serial === null).map(({ name }) => name);
    while (loading.length > 0) {
      const still: string[] = [];
      const units = loading.map((zone) => ({ zone: absolute(zone) }));
      const take = (items: KnotItem[]) => {
        for (const item of items) if (isLoading([item])) still.push(item.zone?.slice(0, -1) ?? '');
      };
      await control
        .session(({ stream }) => stream('zone-status', units, take), signal)
        .catch((error: unknown) => {
          if (!isRefusal(error, NO_ZONE)) throw error;
        });
      loading = still;
      if (still.length > 0) await sleep(clock, LOADING_MS, signal);
    }
  }

  /** Deletes keys, timers and journals of zones that are not in the configuration. */
  async function sweep(held: readonly EngineZone[], signal: AbortSignal): Promise<void> {
    for (const database of ['k', 't', 'j']) {
      await control.run('zone-purge', { filters: `o${database}` }, signal).catch((error: unknown) => {
        // Knot makes the journal with the first contents of a zone, and takes its absence for a failure.
        const isAbsent = database === 'j' && held.every(({ serial }) => serial === null);
        if (!isAbsent || !isRefusal(error, 'operation failed for some zones')) throw error;
      });
    }
  }

  async function addNew(zones: readonly ZoneKey[], signal: AbortSignal): Promise<void> {
    await keys.clean();
    await keys.add(zones, signal);
    const names = zones.map(({ zone }) => zone);
    await control.session((session) => configure(session, 'conf-set', names), signal);
  }

  async function replaceKeys(
    zones: readonly (ZoneKey & { isKeyLost?: boolean | undefined })[],
    signal: AbortSignal,
  ): Promise<void> {
    const published = await publishedKeys(
      zones.map(({ zone }) => zone),
      signal,
    );
    for (const key of zones) {
      const held = published.get(key.zone) ?? [];
      const wanted = publicKeyOf(key.privateKey);
      if (held.length === 1 && held[0] === wanted && !key.isKeyLost) continue;
      await keys.put(key, signal);
      if (held.length === 0) continue;
      await control.run('zone-keys-load', { zone: absolute(key.zone) }, signal);
      await keys.forget(held.filter((other) => other !== wanted).map(keyIdOfPublic));
    }
  }

  /** The public keys in the contents of each zone. */
  async function publishedKeys(zones: readonly string[], signal: AbortSignal): Promise<Map<string, string[]>> {
    const published = new Map<string, string[]>(zones.map((zone) => [zone, []]));
    if (zones.length === 0) return published;
    const units = zones.map((zone) => ({ zone: absolute(zone), owner: '@', type: 'DNSKEY' }));
    const take = (items: KnotItem[]) => {
      for (const { zone = '', data = '' } of items) {
        published.get(zone.slice(0, -1))?.push(data.split(' ').slice(3).join(''));
      }
    };
    await control
      .session(({ stream }) => stream('zone-read', units, take), signal)
      .catch((error: unknown) => {
        if (!isRefusal(error, NO_NODE, NO_ZONE)) throw error;
      });
    return published;
  }
}

async function listZones({ run }: KnotSession): Promise<EngineZone[]> {
  const [configured, states] = await Promise.all([
    run('conf-read', { section: 'zone' }),
    run('zone-status', { filters: 's' }),
  ]);
  const serials = new Map(states.map(({ zone = '', data = '' }) => [zone.slice(0, -1), Number.parseInt(data, 10)]));
  const made = new Set(configured.filter(({ item }) => item === 'catalog-role').map(({ id }) => id));
  return configured
    .filter(({ item, id }) => item === 'domain' && !made.has(id))
    .map(({ data, id }) => (data ?? id ?? '').slice(0, -1))
    .filter((name) => !isCatalogName(name))
    .map((name) => ({
      name,
      serial: serials.has(name) && !Number.isNaN(serials.get(name)) ? serials.get(name)! : null,
    }));
}

/** Zones come into the configuration, or out of it, in one transaction. */
async function configure(
  { run, stream }: KnotSession,
  command: 'conf-set' | 'conf-unset',
  names: readonly string[],
): Promise<void> {
  await beginConfiguration(run);
  try {
    const units = names.map((name) =>
      command === 'conf-set'
        ? { section: 'zone', item: 'domain', data: absolute(name) }
        : { section: 'zone', id: absolute(name) },
    );
    await stream(command, units, () => {});
    await run('conf-commit');
  } catch (error) {
    await run('conf-abort').catch(() => {});
    throw error;
  }
}

function readZone(control: KnotControl, name: string, signal: AbortSignal): AsyncIterable<ServedSet[]> {
  const collector = new SetCollector(name);
  return pagesOf<ServedSet[]>(async (give, stop) => {
    const take = async (items: KnotItem[]) => {
      const sets = collector.push(items);
      if (sets.length > 0) await give(sets);
    };
    const limit = AbortSignal.any([signal, stop]);
    await control.session(async (session) => {
      let isEmpty = true;
      await session.stream('zone-read', [{ zone: absolute(name) }], (items) => {
        isEmpty &&= items.length === 0;
        return take(items);
      });
      if (isEmpty) await checkLoaded(session, name);
    }, limit);
    const last = collector.end();
    if (last.length > 0) await give(last);
  });
}
