// Zones with weights in knotd: the file of each zone, and the module in its configuration.
//
//     weights are stored → the zone is committed → the file is replaced → the module reads it again
//
// The module signs its records when it reads the file, so it reads it again after a change of the key, and after a
// week: its signatures last for three. All files are read at each change of the configuration, and one that is missing
// or damaged would make knotd refuse the change. So a file is replaced in one step, and deleted after its module.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, realClock } from '#base/clock.ts';
import type { ServedSet } from '#dns/served.ts';
import type { EngineZone, ZoneChange } from '../engine.ts';
import { beginConfiguration } from './apply.ts';
import { WEIGHT_MODULE } from './configuration.ts';
import type { KnotArguments, KnotControl, KnotItem } from './control.ts';
import { isRefusal, KnotError } from './errors.ts';
import type { KnotFolder } from './folder.ts';
import { absolute, SetCollector } from './records.ts';
import { replaceFile } from './replace-file.ts';
import { isSince, runningVersion } from './version.ts';
import { WeightStore, withWeights } from './weight-store.ts';
import { listDecisiveNames, pickDrawable, weightFile, weightId, weightTtl } from './weights.ts';

/** The first version in which the module can be in the configuration database: see shared-modules.ts. */
const WORKS = '3.4';
/** Knot reads the files of all zones at each change of its configuration: those of so many take half a second. */
const MAX_ZONES = 1_000;
const RENEW_MS = 7 * 24 * 60 * 60_000;
const FILE = /^draw-([0-9a-f]{32})\.conf(\.new)?$/;
/** Knot's texts. */
const NO_NODE = 'no such node in zone found';
const NO_ZONE = 'no such zone found';

interface WeightedOptions {
  readonly control: KnotControl;
  readonly folder: KnotFolder;
  readonly clock?: Clock;
  /** Runs a change of the configuration, or waits for the loads of zones that it would wait for. */
  configure(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

export class WeightedZones {
  readonly #options: WeightedOptions;
  readonly #clock: Clock;
  readonly #store: WeightStore;
  /** The TTL of the module of each zone that has one; null: not read yet. */
  #modules: Map<string, number> | null = null;
  #canDraw: boolean | null = null;

  constructor(options: WeightedOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#store = new WeightStore(options.folder);
  }

  /** Keeps the weights of a change before its commit. */
  keep(zone: string, change: ZoneChange): Promise<void> {
    return this.#store.put(zone, change);
  }

  /** RRsets of knotd with their weights. */
  async attach(zone: string): Promise<(set: ServedSet) => ServedSet> {
    const weighted = await this.#store.read(zone);
    return weighted.size === 0 ? (set) => set : (set) => withWeights(set, weighted);
  }

  /** Whether this knotd has the module. Without it, zones with weights are answered evenly. */
  async canDraw(signal: AbortSignal): Promise<boolean> {
    this.#canDraw ??= await hasModule(this.#options.control, signal);
    return this.#canDraw;
  }

  /**
   * Brings the module of a zone to its weights and contents.
   * @param isNew the module must read the file again, also if nothing else changed
   */
  async apply(zone: string, signal: AbortSignal, isNew = false): Promise<void> {
    const weighted = [...(await this.#store.read(zone)).values()];
    const modules = await this.#readModules(signal);
    if (weighted.length === 0 && !modules.has(zone)) return this.#removeFiles(zone);
    if (!(await this.canDraw(signal))) return;
    const sets = weighted.length === 0 ? [] : pickDrawable(weighted, await this.#readNames(zone, weighted, signal));
    if (sets.length === 0) {
      if (modules.has(zone)) await this.#configure([zone], signal);
      if (weighted.length === 0) await this.#removeFiles(zone);
      return;
    }
    if (!modules.has(zone) && modules.size >= MAX_ZONES) return;
    const file = drawFile(this.#options.folder, zone);
    const text = weightFile(zone, sets);
    const isSame = (await readFile(file, 'utf8').catch(() => '')) === text;
    if (!isSame || isNew) await replaceFile(file, text);
    const ttl = weightTtl(sets);
    if (modules.get(zone) !== ttl) return this.#configure([zone], signal, ttl);
    if (isSame && !isNew) return;
    await this.#options.control.run('zone-reload', { zone: absolute(zone), flags: 'F' }, signal);
  }

  /** Renews the signatures of a zone after a week, and gives a zone its module if it lacks it. */
  async renew(zone: string, signal: AbortSignal): Promise<void> {
    const hasModule = (await this.#readModules(signal)).has(zone);
    if (!hasModule && (await this.#store.read(zone)).size === 0) return;
    const age = hasModule ? this.#clock.now() - (await stat(drawFile(this.#options.folder, zone))).mtimeMs : 0;
    if (!hasModule || age >= RENEW_MS) await this.apply(zone, signal, true);
  }

  /** The zones are no longer in the configuration. */
  async remove(zones: readonly string[], signal: AbortSignal): Promise<void> {
    const modules = await this.#readModules(signal);
    const drawnZones = zones.filter((zone) => modules.has(zone));
    if (drawnZones.length > 0) await this.#configure(drawnZones, signal);
    for (const zone of zones) await this.#removeFiles(zone);
  }

  /**
   * After a start of knotd or of this process: modules and files of all zones.
   * @returns the zones with weights that are being loaded: they need `apply` afterwards
   */
  async tidy(zones: readonly EngineZone[], signal: AbortSignal): Promise<EngineZone[]> {
    this.#modules = null;
    this.#canDraw = null;
    const presentZones = new Map(zones.map(({ name, serial }) => [name, serial]));
    const storedZones = await this.#store.zones();
    const others = [...storedZones, ...(await this.#readModules(signal)).keys()].filter((z) => !presentZones.has(z));
    await this.remove(others, signal);
    for (const zone of storedZones) if (presentZones.get(zone) != null) await this.apply(zone, signal, true);
    const ids = new Set(storedZones.map(weightId));
    for (const name of await readdir(this.#options.folder.storage)) {
      const [, id] = FILE.exec(name) ?? [];
      if (id === undefined || ids.has(id)) continue;
      await rm(join(this.#options.folder.storage, name), { force: true });
    }
    return zones.filter(({ name, serial }) => serial === null && storedZones.includes(name));
  }

  /** @param ttl absent: the module is removed */
  #configure(zones: readonly string[], signal: AbortSignal, ttl?: number): Promise<void> {
    const { control, folder, configure } = this.#options;
    return configure(async () => {
      await changeModules(control, folder, zones, signal, ttl);
      for (const zone of zones) {
        if (ttl === undefined) this.#modules?.delete(zone);
        else this.#modules?.set(zone, ttl);
      }
    }, signal);
  }

  async #readModules(signal: AbortSignal): Promise<Map<string, number>> {
    this.#modules ??= await readModules(this.#options.control, signal);
    return this.#modules;
  }

  /** The RRsets of the names that decide about the weighted ones. */
  async #readNames(zone: string, weighted: readonly ServedSet[], signal: AbortSignal): Promise<ServedSet[]> {
    const sets: ServedSet[] = [];
    const collector = new SetCollector(zone);
    const units = listDecisiveNames(weighted).map((owner) => ({ zone: absolute(zone), owner }));
    const take = (items: KnotItem[]) => void sets.push(...collector.push(items));
    await this.#options.control
      .session(({ stream }) => stream('zone-read', units, take), signal)
      .catch((error: unknown) => {
        if (!isRefusal(error, NO_NODE, NO_ZONE)) throw error;
      });
    return [...sets, ...collector.end()];
  }

  async #removeFiles(zone: string): Promise<void> {
    await rm(drawFile(this.#options.folder, zone), { force: true });
    await this.#store.forget(zone);
  }
}

function drawFile(folder: KnotFolder, zone: string): string {
  return join(folder.storage, `draw-${weightId(zone)}.conf`);
}

/** Gives the zones the module with this TTL, or takes it from them, in one transaction. */
async function changeModules(
  control: KnotControl,
  folder: KnotFolder,
  zones: readonly string[],
  signal: AbortSignal,
  ttl?: number,
): Promise<void> {
  await control.sessionAlone(async ({ run }) => {
    await beginConfiguration(run);
    const unset = (unit: KnotArguments) =>
      run('conf-unset', unit).catch((error: unknown) => {
        if (!isRefusal(error, 'not exists', 'invalid identifier')) throw error;
      });
    try {
      for (const zone of zones) {
        const id = weightId(zone);
        const atZone = { section: 'zone', id: absolute(zone), item: 'module' };
        await unset(atZone);
        await unset({ section: WEIGHT_MODULE, id });
        if (ttl === undefined) continue;
        await run('conf-set', { section: WEIGHT_MODULE, item: 'id', data: id });
        const items = { 'config-file': drawFile(folder, zone), mode: 'weighted', ttl: String(ttl) };
        for (const [item, data] of Object.entries(items))
          await run('conf-set', { section: WEIGHT_MODULE, id, item, data });
        await run('conf-set', { ...atZone, data: `${WEIGHT_MODULE}/${id}` });
      }
      await run('conf-commit');
    } catch (error) {
      await run('conf-abort').catch(() => {});
      throw error;
    }
  }, signal);
}

/** The TTL of the module of each zone that has one. */
async function readModules(control: KnotControl, signal: AbortSignal): Promise<Map<string, number>> {
  const read = (unit: KnotArguments) =>
    control.run('conf-read', unit, signal).catch((error: unknown) => {
      // A knotd without the module does not know the section.
      if (isRefusal(error, 'not exists', 'not found', 'invalid item')) return [];
      throw error;
    });
  const ttls = new Map((await read({ section: WEIGHT_MODULE, item: 'ttl' })).map(({ id, data }) => [id, Number(data)]));
  const modules = new Map<string, number>();
  for (const { id = '', data = '' } of await read({ section: 'zone', item: 'module' })) {
    const [section, moduleId] = data.split('/');
    if (section === WEIGHT_MODULE) modules.set(id.slice(0, -1), ttls.get(moduleId) ?? 0);
  }
  return modules;
}

/** Whether knotd has the module: it refuses the section otherwise. */
async function hasModule(control: KnotControl, signal: AbortSignal): Promise<boolean> {
  if (!isSince(await runningVersion(control, signal), WORKS)) return false;
  return control.sessionAlone(async ({ run }) => {
    await beginConfiguration(run);
    try {
      await run('conf-set', { section: WEIGHT_MODULE, item: 'id', data: 'present' });
      return true;
    } catch (error) {
      if (error instanceof KnotError && error.failure === 'refused') return false;
      throw error;
    } finally {
      await run('conf-abort').catch(() => {});
    }
  }, signal);
}
