// The zones of one knotd: the list, contents, changes, keys.
//
//     not there  → add    → in the configuration, with its key, without contents: SERVFAIL
//                → change → served and signed, from the first commit on
//                → deny   → the same contents with another denial of names
//                → remove → not there; contents, journal, timers and key are deleted
import { type Clock, realClock } from '#base/clock.ts';
import { writeEngine } from '#base/engine-text.ts';
import { createSerial } from '#base/serial.ts';
import { isSigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { keyTag, type PublicKey } from '#dns/dnssec/signing-key.ts';
import type { ServedSet } from '#dns/served.ts';
import type { AddedZone, EngineKey, EngineZone, OnSignature, ZoneChange, ZoneDenial, ZoneEngine } from '../engine.ts';
import { NSEC3_WORKS } from './configuration.ts';
import type { KnotControl, KnotItem } from './control.ts';
import { followDenial, setDenial } from './denial.ts';
import { isRefusal, KnotError, withRemedy } from './errors.ts';
import { createHistories, type Histories } from './history.ts';
import { type KeyStore, type KeysOfZone, keyIdOfPublic } from './keys.ts';
import { type LoadContext, loadKnotZone, tidyLoads } from './load.ts';
import { streamPages } from './pages.ts';
import { absolute, readSoaItem, SetCollector } from './records.ts';
import { checkRoom } from './room.ts';
import { isSignedWith, waitUntilSigned } from './signed-with.ts';
import { changeKnotZone, checkLoaded, chooseSerial } from './transaction.ts';
import { isSince, runningVersion } from './version.ts';
import { WeightedZones } from './weighted-zones.ts';
import {
  configureZones,
  listAddedZones,
  purgeOthers,
  readSigners,
  removeZones,
  type Signers,
  waitUntilLoaded,
} from './zone-list.ts';

const NO_NODE = 'no such node in zone found';

const NO_SIGNERS: Signers = { keys: [], tags: [] };

/** More RRsets are loaded from a file: a commit of so many takes about a second. */
const LOAD_SETS = 2_000;

export interface ZoneEngineOptions extends LoadContext {
  keys: KeyStore;
  /** Changes with more RRsets are loaded. (Default: 2,000.) */
  loadSets?: number;
  /** Zones with more RRsets keep a long history. (Default: 10,000.) */
  largeSets?: number;
}

export interface KnotEngine extends ZoneEngine {
  /** Removes the files and settings that interrupted loads of large zones left. */
  tidy(signal: AbortSignal): Promise<void>;
}

export function zoneEngine(options: ZoneEngineOptions): KnotEngine {
  return new KnotZones(options);
}

class KnotZones implements KnotEngine {
  readonly #options: ZoneEngineOptions;
  readonly #control: KnotControl;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #changes = createSerial();
  // Additions, removals and loads change the configuration. Knot lets such a change wait until no zone is being loaded,
  // and with it all other commands, so they wait here for each other and for loads.
  readonly #lists = createSerial();
  readonly #histories: Histories;
  readonly #weights: WeightedZones;
  /** Zones that were added here and have no contents yet. */
  readonly #added = new Set<string>();
  /** The zones in the configuration after the last list or change; null: not known. */
  #known: Set<string> | null = null;
  /** Whether no key, journal or timer of a zone is left that is not configured. */
  #isSwept = false;
  /**
   * The number of changes of the configuration, counted at their beginning and at their end: odd while one is being
   * made.
   */
  #edits = 0;

  constructor(options: ZoneEngineOptions) {
    this.#options = options;
    this.#control = options.control;
    this.#keys = options.keys;
    this.#clock = options.clock ?? realClock;
    this.#histories = createHistories(options.control, options.largeSets);
    this.#weights = new WeightedZones({ ...options, configure: (work, signal) => this.#configure(work, signal) });
  }

  async version(signal = new AbortController().signal): Promise<string> {
    const version = (await runningVersion(this.#control, signal)) ?? '';
    return writeEngine(version, { draws: await this.#weights.canDraw(signal), hashes: await this.#hasNsec3(signal) });
  }

  /** Whether zones that choose NSEC3 have it; otherwise they have NSEC. */
  async #hasNsec3(signal: AbortSignal): Promise<boolean> {
    return isSince(await runningVersion(this.#control, signal), NSEC3_WORKS);
  }

  async zones(signal: AbortSignal): Promise<EngineZone[]> {
    const before = this.#edits;
    const zones = await this.#control.session(listAddedZones, signal);
    // A list that was read during a change may lack its zones, or have those that it removes.
    if (this.#edits === before && before % 2 === 0) this.#remember(zones);
    return zones;
  }

  /** One at a time: the sweep deletes keys whose zones are not configured yet. */
  async add(zones: readonly AddedZone[], signal: AbortSignal): Promise<void> {
    const changedZones: string[] = [];
    await this.#edit(signal, async () => {
      const presentZones = this.#isSwept && this.#known !== null ? this.#known : await this.#listAndSweep(signal);
      const zoneKeys = zones.map(({ name, ...zone }) => ({ zone: name, ...zone }));
      const newZones = zoneKeys.filter(({ zone }) => !presentZones.has(zone));
      const others = zoneKeys.filter(({ zone }) => presentZones.has(zone));
      if (newZones.length > 0) await this.#addNew(newZones, signal);
      for (const { zone } of newZones) {
        presentZones.add(zone);
        this.#added.add(zone);
        this.#histories.forget(zone);
      }
      changedZones.push(...(await this.#replaceKeys(others, signal)));
    });
    for (const zone of changedZones) await this.#changes(zone, () => this.#weights.apply(zone, signal, true), signal);
  }

  async finishKeys(name: string, keys: readonly EngineKey[], signal: AbortSignal): Promise<void> {
    await waitUntilSigned(this.#control, this.#clock, { zone: name, keys }, signal);
    await this.#lists('', () => this.#keys.prune({ zone: name, keys }, signal), signal);
  }

  async remove(names: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#edit(signal, async () => {
      const zones = await this.#control.session(listAddedZones, signal);
      const knownNames = this.#remember(zones);
      const presentNames = names.filter((name) => knownNames.has(name));
      for (const name of presentNames) this.#added.delete(name);
      if (presentNames.length === 0) return;
      const ids: string[] = [];
      for (const [zone, signers] of await readSigners(this.#control, presentNames, signal)) {
        ids.push(...(await this.#listKeyIds(zone, signers, signal)));
      }
      await waitUntilLoaded(this.#control, this.#clock, zones, signal);
      await this.#control.sessionAlone((session) => removeZones(session, presentNames), signal);
      for (const name of presentNames) knownNames.delete(name);
      await purgeOthers(this.#control, zones, signal);
      await this.#keys.forget(ids);
    });
    await this.#weights.remove(names, signal);
  }

  async #listKeyIds(zone: string, { keys, tags }: Signers, signal: AbortSignal): Promise<string[]> {
    const signingKeys = keys.filter((key): key is PublicKey => isSigningAlgorithm(key.algorithm));
    const publishedTags = new Set(signingKeys.map(keyTag));
    const isComplete = signingKeys.length > 0 && tags.every((tag) => publishedTags.has(tag));
    // keymgr takes 10 ms. It is asked for keys that the DNSKEY RRset does not have.
    if (!isComplete) return this.#keys.list(zone, signal);
    return signingKeys.map(({ algorithm, publicKey }) => keyIdOfPublic(algorithm, publicKey));
  }

  deny(name: string, { denial, names }: ZoneDenial, signal: AbortSignal): Promise<void> {
    const deny = async () => {
      await checkRoom(this.#options.folder.storage, names);
      const change = () => setDenial(this.#control, name, denial, signal);
      await this.#configure(change, signal);
      const servedDenial = (await this.#hasNsec3(signal)) ? denial : DEFAULT_DENIAL;
      await followDenial(this.#control, this.#clock, name, servedDenial, signal);
      await this.#weights.apply(name, signal, true);
    };
    return this.#changes(name, deny, signal);
  }

  async privateKeys(name: string, signal: AbortSignal): Promise<string[]> {
    const ids = await this.#keys.list(name, signal);
    if (ids.length === 0) throw new Error(`the zone ${name} has no key`);
    return Promise.all(ids.map((id) => this.#keys.read(id)));
  }

  check(name: string, signal: AbortSignal): Promise<void> {
    return this.#control.session((session) => checkLoaded(session, name), signal);
  }

  async *read(name: string, signal: AbortSignal, onSignature?: OnSignature): AsyncGenerator<ServedSet[]> {
    let count = 0;
    const attach = await this.#weights.attach(name);
    for await (const sets of readZone(this.#control, name, signal, onSignature)) {
      count += sets.length;
      yield sets.map(attach);
    }
    await this.#keepHistory(name, count, signal);
    await this.#changes(name, () => this.#weights.renew(name, signal), signal);
  }

  async tidy(signal: AbortSignal): Promise<void> {
    await this.#lists('', () => tidyLoads(this.#options, signal), signal);
    const zones = await this.zones(signal);
    void this.#drawWhenLoaded(await this.#weights.tidy(zones, signal), signal);
  }

  /** Failures are ignored: the next read of the zone tries again. */
  async #drawWhenLoaded(zones: readonly EngineZone[], signal: AbortSignal): Promise<void> {
    try {
      await waitUntilLoaded(this.#control, this.#clock, zones, signal);
      for (const { name } of zones) await this.#changes(name, () => this.#weights.apply(name, signal, true), signal);
    } catch {}
  }

  change(name: string, change: ZoneChange, signal: AbortSignal): Promise<number> {
    const { folder, loadSets = LOAD_SETS } = this.#options;
    const apply = async () => {
      await checkRoom(folder.storage, change.sets.length);
      await this.#weights.keep(name, change);
      const loadedSerial = change.sets.length > loadSets ? await this.#load(name, change, signal) : null;
      const serial = loadedSerial ?? (await this.#commit(name, change, signal));
      this.#added.delete(name);
      await this.#weights.apply(name, signal);
      await this.#keepHistory(name, change.whole?.size ?? 0, signal);
      return serial;
    };
    return this.#changes(name, apply, signal);
  }

  /** @param sets the number of RRsets or names that the zone has at least */
  async #keepHistory(name: string, sets: number, signal: AbortSignal): Promise<void> {
    if (!this.#histories.isDue(name, sets)) return;
    await this.#lists('', () => this.#histories.lengthen(name, signal), signal);
  }

  async #commit(name: string, change: ZoneChange, signal: AbortSignal): Promise<number> {
    try {
      const isNew = this.#added.has(name);
      return await this.#control.session((session) => changeKnotZone(session, name, change, { isNew }), signal);
    } catch (error) {
      // A value that is none closes the connection. An open transaction would stay in knotd's memory.
      const isReachable = !(error instanceof KnotError) || error.failure === 'refused';
      if (isReachable && !signal.aborted)
        await this.#control.run('zone-abort', { zone: absolute(name) }).catch(() => {});
      throw withRemedy(error);
    }
  }

  /** @returns the serial that is served; null if the change must be a commit */
  async #load(zone: string, change: ZoneChange, signal: AbortSignal): Promise<number | null> {
    const { whole: contents } = change;
    if (contents === undefined) return null;
    const loadFile = async () => {
      const zones = await this.#control.session(listAddedZones, signal);
      await waitUntilLoaded(this.#control, this.#clock, zones, signal);
      const servedZone = await this.#servedSoa(zone, signal);
      const soa = change.soa ?? servedZone?.soa;
      if (soa === undefined) return null;
      const serial = chooseSerial(servedZone?.serial ?? null, change);
      const isServed = await loadKnotZone(
        this.#options,
        { zone, soa, serial, isHeld: servedZone !== null, contents },
        signal,
      );
      return isServed ? serial : null;
    };
    return this.#lists('', loadFile, signal);
  }

  async #servedSoa(zone: string, signal: AbortSignal): Promise<ReturnType<typeof readSoaItem>> {
    try {
      return readSoaItem(
        await this.#control.run('zone-read', { zone: absolute(zone), owner: '@', type: 'SOA' }, signal),
      );
    } catch (error) {
      if (isRefusal(error, NO_NODE)) return null;
      throw error;
    }
  }

  /** Runs a change of the configuration when no zone is being loaded. */
  #configure(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const change = async () => {
      const zones = await this.#control.session(listAddedZones, signal);
      await waitUntilLoaded(this.#control, this.#clock, zones, signal);
      await work();
    };
    return this.#lists('', change, signal);
  }

  /** Changes the list of zones. After a failure, the next change begins with a list, and with the sweep. */
  async #edit(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const edit = async () => {
      this.#edits += 1;
      try {
        await work();
      } catch (error) {
        this.#known = null;
        this.#isSwept = false;
        throw error;
      } finally {
        this.#edits += 1;
      }
    };
    await this.#lists('', edit, signal);
  }

  /** A zone that another program removed may have left its key and its journal. */
  #remember(zones: readonly EngineZone[]): Set<string> {
    const names = new Set(zones.map(({ name }) => name));
    const isSame = this.#known !== null && this.#known.size === names.size && this.#known.isSubsetOf(names);
    if (!isSame) this.#isSwept = false;
    this.#known = names;
    return names;
  }

  /**
   * Lists the zones, and deletes the keys and journals of others: a removal, or an addition, that did not come to its
   * end. Both take time for every zone, so a list of many new zones needs them once.
   */
  async #listAndSweep(signal: AbortSignal): Promise<Set<string>> {
    const zones = await this.#control.session(listAddedZones, signal);
    const names = this.#remember(zones);
    await purgeOthers(this.#control, zones, signal);
    this.#isSwept = true;
    return names;
  }

  async #addNew(zones: readonly (KeysOfZone & { denial?: Denial })[], signal: AbortSignal): Promise<void> {
    await this.#keys.clean();
    await this.#keys.add(zones, signal);
    await this.#control.sessionAlone((session) => configureZones(session, zones), signal);
  }

  /** @returns the zones whose keys are others now */
  async #replaceKeys(
    zones: readonly (KeysOfZone & { isKeyLost?: boolean | undefined })[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const changedZones: string[] = [];
    const names = zones.map(({ zone }) => zone);
    const signersByZone = await readSigners(this.#control, names, signal);
    for (const zoneKeys of zones) {
      const { zone, keys, isKeyLost } = zoneKeys;
      const signers = signersByZone.get(zone) ?? NO_SIGNERS;
      if (!isKeyLost && isOnlyKey(signers, keys)) continue;
      await this.#keys.put(zoneKeys, signal);
      if (signers.keys.length === 0) {
        await this.#keys.prune(zoneKeys, signal);
        continue;
      }
      await this.#control.run('zone-keys-load', { zone: absolute(zone) }, signal);
      changedZones.push(zone);
    }
    return changedZones;
  }
}

/** Whether the zone is signed with its only key, as nearly all are: keymgr, which takes 10 ms, need not be asked. */
function isOnlyKey(signers: Signers, keys: readonly EngineKey[]): boolean {
  return keys.length === 1 && keys[0]?.state === 'active' && isSignedWith(signers, keys);
}

function readZone(
  control: KnotControl,
  name: string,
  signal: AbortSignal,
  onSignature?: OnSignature,
): AsyncIterable<ServedSet[]> {
  const collector = new SetCollector(name, onSignature);
  return streamPages<ServedSet[]>(async (give, stop) => {
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
