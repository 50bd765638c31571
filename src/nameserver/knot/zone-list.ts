// The list of zones in the configuration of knotd: its contents and changes, and the databases that belong to it.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { isCatalogName } from '#dns/secondaries/catalog.ts';
import type { EngineZone } from '../engine.ts';
import { beginConfiguration } from './apply.ts';
import { POLICIES } from './configuration.ts';
import type { KnotControl, KnotItem, KnotSession, KnotUnits } from './control.ts';
import { isRefusal } from './errors.ts';
import { isLoading } from './load.ts';
import { absolute } from './records.ts';

/** Knot's texts. */
const NO_ZONE = 'no such zone found';
const NO_NODE = 'no such node in zone found';

const LOADING_MS = 500;

/** The zones that a node added: catalogs for secondaries are not among them. */
export async function listAddedZones({ run }: KnotSession): Promise<EngineZone[]> {
  const [configItems, states] = await Promise.all([
    run('conf-read', { section: 'zone' }),
    run('zone-status', { filters: 's' }),
  ]);
  const serials = new Map(states.map(({ zone = '', data = '' }) => [zone.slice(0, -1), Number.parseInt(data, 10)]));
  const catalogIds = new Set(configItems.filter(({ item }) => item === 'catalog-role').map(({ id }) => id));
  return configItems
    .filter(({ item, id }) => item === 'domain' && !catalogIds.has(id))
    .map(({ data, id }) => (data ?? id ?? '').slice(0, -1))
    .filter((name) => !isCatalogName(name))
    .map((name) => ({
      name,
      serial: serials.has(name) && !Number.isNaN(serials.get(name)) ? serials.get(name)! : null,
    }));
}

/** A zone for the configuration. */
interface ConfiguredZone {
  readonly zone: string;
  /** (Default: NSEC.) */
  readonly denial?: Denial | undefined;
}

/** Puts zones into the configuration in one transaction. */
export async function configureZones(session: KnotSession, zones: readonly ConfiguredZone[]): Promise<void> {
  const units = zones.flatMap(({ zone, denial = DEFAULT_DENIAL }) => {
    const id = absolute(zone);
    const policy = { section: 'zone', id, item: 'dnssec-policy', data: POLICIES[denial] };
    return [{ section: 'zone', item: 'domain', data: id }, ...(denial === DEFAULT_DENIAL ? [] : [policy])];
  });
  await changeConfiguration(session, 'conf-set', units);
}

/** Removes zones from the configuration in one transaction. */
export async function removeZones(session: KnotSession, names: readonly string[]): Promise<void> {
  const units = names.map((name) => ({ section: 'zone', id: absolute(name) }));
  await changeConfiguration(session, 'conf-unset', units);
}

async function changeConfiguration({ run, stream }: KnotSession, command: string, units: KnotUnits): Promise<void> {
  await beginConfiguration(run);
  try {
    await stream(command, units, () => {});
    await run('conf-commit');
  } catch (error) {
    await run('conf-abort').catch(() => {});
    throw error;
  }
}

/**
 * Waits until none of the zones without contents is being loaded: after a start of knotd, that is half a minute for a
 * large one.
 */
export async function waitUntilLoaded(
  control: KnotControl,
  clock: Clock,
  zones: readonly EngineZone[],
  signal: AbortSignal,
): Promise<void> {
  let loading = zones.filter(({ serial }) => serial === null).map(({ name }) => name);
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

/**
 * Deletes keys, timers and journals of zones that are not in the configuration.
 * @param zones those in the configuration
 */
export async function purgeOthers(
  control: KnotControl,
  zones: readonly EngineZone[],
  signal: AbortSignal,
): Promise<void> {
  for (const database of ['k', 't', 'j']) {
    await control.run('zone-purge', { filters: `o${database}` }, signal).catch((error: unknown) => {
      // Knot makes the journal with the first contents of a zone, and takes its absence for a failure.
      const isAbsent = database === 'j' && zones.every(({ serial }) => serial === null);
      if (!isAbsent || !isRefusal(error, 'operation failed for some zones')) throw error;
    });
  }
}

/** A key in the contents of a zone; `publicKey` is in base64. */
export interface PublishedKey {
  algorithm: number;
  publicKey: string;
}

/** The DNSKEY RRset of a zone, and the key tags of all signatures at its apex. */
export interface Signers {
  keys: PublishedKey[];
  tags: number[];
}

/** The keys that the zones are signed with; empty lists for a zone without contents. */
export async function readSigners(
  control: KnotControl,
  zones: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Signers>> {
  const signersByZone = new Map<string, Signers>(zones.map((zone) => [zone, { keys: [], tags: [] }]));
  if (zones.length === 0) return signersByZone;
  const take = (items: KnotItem[]) => {
    for (const { zone = '', type, data = '' } of items) {
      const signers = signersByZone.get(zone.slice(0, -1));
      const words = data.split(' ');
      if (type === 'RRSIG') signers?.tags.push(Number(words[6]));
      else signers?.keys.push({ algorithm: Number(words[2]), publicKey: words.slice(3).join('') });
    }
  };
  for (const type of ['DNSKEY', 'RRSIG']) {
    const units = zones.map((zone) => ({ zone: absolute(zone), owner: '@', type }));
    await control
      .session(({ stream }) => stream('zone-read', units, take), signal)
      .catch((error: unknown) => {
        if (!isRefusal(error, NO_NODE, NO_ZONE)) throw error;
      });
  }
  return signersByZone;
}
