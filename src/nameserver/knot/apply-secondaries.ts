// Applies the configuration for secondaries to a running knotd.
import { isCatalogName } from '#dns/secondaries/catalog.ts';
import { beginConfiguration } from './apply.ts';
import type { ConfigItem } from './configuration.ts';
import type { KnotControl, KnotSession } from './control.ts';
import { type ConfigCommand, diffConfig, transactions, zonesToNotify } from './difference.ts';
import { isRefusal, KnotError } from './errors.ts';
import { isOwned } from './secondaries.ts';

/**
 * Applies the differences, in transactions that are each complete and short, so that other work of the node is not held
 * up. Zones that need no change are not touched, and catalogs that are no longer wanted lose their contents and their
 * journal. Secondaries that are new for a zone get a NOTIFY at once. Only one call may be under way.
 *
 * @param wantedItems as transferItems returns it
 * @returns the number of commands; 0 if knotd already had everything
 * @throws KnotError; the transactions before the failure stay, and the next call continues
 */
export async function applyTransferItems(
  control: KnotControl,
  wantedItems: readonly ConfigItem[],
  signal: AbortSignal,
): Promise<number> {
  const commands = diffConfig(await control.session(readOwned, signal), wantedItems);
  for (const portion of transactions(commands, isReference)) {
    await control.sessionAlone((session) => commit(session, portion), signal);
  }
  return commands.length;
}

/** Whether it changes the secondaries of one zone of the api. */
function isReference({ args: { section, item, id = '' } }: ConfigCommand): boolean {
  return section === 'zone' && (item === 'notify' || item === 'acl') && !isCatalog(id);
}

async function commit({ run }: KnotSession, commands: readonly ConfigCommand[]): Promise<void> {
  for (const { command, args } of commands) {
    if (command === 'conf-unset' && args.section === 'zone' && args.item === undefined && args.id !== undefined) {
      await run('zone-purge', { zone: args.id });
    }
  }
  await beginConfiguration(run);
  try {
    // Sent without waiting for each answer.
    await Promise.all(commands.map(({ command, args }) => run(command, args)));
    await run('conf-commit');
  } catch (error) {
    await run('conf-abort').catch(() => {});
    throw error;
  }
  const zones = zonesToNotify(commands);
  if (zones === 'all') await run('zone-notify').catch(ignoreEmpty);
  else await Promise.all(zones.map((zone) => run('zone-notify', { zone }).catch(ignoreEmpty)));
}

/**
 * A zone without contents has nothing to tell. The configuration is committed, so a refusal must not look like a
 * failure.
 */
function ignoreEmpty(error: unknown): void {
  if (!(error instanceof KnotError && error.failure === 'refused')) throw error;
}

async function readOwned({ run }: KnotSession): Promise<ConfigItem[]> {
  const read = async (section: string, item?: string): Promise<ConfigItem[]> => {
    try {
      const items = await run('conf-read', item === undefined ? { section } : { section, item });
      return items.map(({ section: from = section, id, item: name = '', data = '' }) =>
        id === undefined ? { section: from, item: name, value: data } : { section: from, id, item: name, value: data },
      );
    } catch (error) {
      // Knot refuses to read a section of which nothing is set.
      if (isRefusal(error, 'not exists', 'not found', 'invalid item')) return [];
      throw error;
    }
  };
  const sections = ['server', 'key', 'remote', 'acl', 'mod-queryacl', 'template'];
  const zoneItems = ['template', 'module', 'notify', 'acl'];
  const zones = (await Promise.all(zoneItems.map((item) => read('zone', item)))).flat();
  const catalogs = new Set(zones.flatMap(({ id }) => (id !== undefined && isCatalog(id) ? [id] : [])));
  const domains = [...catalogs].map((id) => ({ section: 'zone', item: 'domain', value: id }));
  const presentItems = [...(await Promise.all(sections.map((section) => read(section)))).flat(), ...domains, ...zones];
  return presentItems
    .map((item) => withId(item))
    .filter((item) => isOwned(item, item.section === 'zone' && isCatalog(item.id ?? '')));
}

/** The item that names a group comes without an id; with it, every item of a group has the same. */
function withId(item: ConfigItem): ConfigItem {
  if (item.id !== undefined || item.section === 'server') return item;
  return { ...item, id: item.value };
}

function isCatalog(zone: string): boolean {
  return isCatalogName(zone.replace(/\.$/, ''));
}
