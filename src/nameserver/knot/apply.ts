// Brings the configuration database of a running knotd to the given items, in one transaction. Zones, groups that are
// not among the items, and everything that transferItems decides stay as they are.
import { type ConfigItem, nameItem } from './configuration.ts';
import type { KnotArguments, KnotControl, KnotSession } from './control.ts';
import { isRefusal, KnotError } from './errors.ts';
import { isOwned } from './secondaries.ts';

export interface AppliedZone {
  /** The items that changed: `server.listen`, `policy[zonestead].manual`. */
  changed: string[];
  /** Those of them that take effect only after a restart of knotd. */
  needsRestart: string[];
}

/** Groups that the settings may leave out: without the setting, they are removed. */
export const OPTIONAL_GROUPS = [{ section: 'mod-rrl', id: 'default' }] as const;

/** Knot's text. */
const TRANSACTION_EXISTS = 'too many transactions';

/** Knot reads these once. */
const AT_START =
  /^(server\.(listen|listen-tls|rundir|pidfile|udp-workers|tcp-workers|background-workers|async-start)|control\.listen|database\..*)$/;

/** @throws KnotError with Knot's text; nothing is changed then */
export async function applyConfiguration(
  control: KnotControl,
  items: readonly ConfigItem[],
  signal: AbortSignal,
): Promise<AppliedZone> {
  return control.sessionAlone(async (session) => {
    const { run } = session;
    await beginConfiguration(run);
    try {
      await replace(session, items);
      // Knot compares: 21d and 1814400 are the same to it.
      const difference = await run('conf-diff');
      const changedNames = [...new Set(difference.map(formatItemName))].sort();
      await run(changedNames.length === 0 ? 'conf-abort' : 'conf-commit');
      return { changed: changedNames, needsRestart: changedNames.filter((name) => AT_START.test(name)) };
    } catch (error) {
      await run('conf-abort').catch(() => {});
      throw error;
    }
  }, signal);
}

/** Begins a transaction; those that a predecessor left open are aborted. Only for a session that runs alone. */
export async function beginConfiguration(run: KnotSession['run']): Promise<void> {
  const abortAndBegin = async (abort: string) => {
    await run(abort).catch(ignoreRefusal);
    await run('conf-begin');
  };
  const onlyTooMany = (error: unknown) => {
    if (!isRefusal(error, TRANSACTION_EXISTS)) throw error;
  };
  try {
    await run('conf-begin');
  } catch (error) {
    onlyTooMany(error);
    await abortAndBegin('conf-abort').catch((again: unknown) => {
      onlyTooMany(again);
      // Knot 3.4 also means the transactions of zones. Most zones have none, which it takes for a failure.
      return abortAndBegin('zone-abort');
    });
  }
}

/** Begins the transaction of a zone; those that a predecessor left open are aborted. */
export async function beginZone(run: KnotSession['run'], at: KnotArguments): Promise<void> {
  try {
    await run('zone-begin', at);
  } catch (error) {
    if (!isRefusal(error, TRANSACTION_EXISTS)) throw error;
    // It belongs to the zone, not to a connection. Knot 3.4 also means a transaction of the configuration.
    await run('zone-abort', at).catch(() => run('conf-abort').catch(ignoreRefusal));
    await run('zone-begin', at);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof KnotError && error.failure === 'refused')) throw error;
}

/** Items of the same groups that transferItems decides stay. */
async function replace({ run, stream }: KnotSession, items: readonly ConfigItem[]): Promise<void> {
  const groups = new Map<string, { section: string; id?: string }>();
  for (const group of [...OPTIONAL_GROUPS, ...items]) {
    const { section, id } = group;
    groups.set(`${section}[${id}]`, id === undefined ? { section } : { section, id });
  }
  const presentGroups = new Set<string>();
  for (const [key, group] of groups) {
    const names = await listItems(run, group);
    const isKept = (item: string) => isOwned({ ...group, item }, false);
    if (names.some(isKept)) presentGroups.add(key);
    const others = names.filter((item) => !isKept(item) && item !== nameItem(group.section));
    const unsetItems = presentGroups.has(key)
      ? others.map((item) => ({ ...group, item }))
      : names.length > 0
        ? [group]
        : [];
    await Promise.all(unsetItems.map((args) => run('conf-unset', args)));
  }
  const units = items.flatMap(({ section, id, item, value }) => {
    const isName = id !== undefined && item === nameItem(section);
    if (isName && presentGroups.has(`${section}[${id}]`)) return [];
    return [id === undefined || isName ? { section, item, data: value } : { section, id, item, data: value }];
  });
  await stream('conf-set', units, () => {});
}

/** The names of the items that a group has; none if there is no such group. */
async function listItems(run: KnotSession['run'], group: { section: string; id?: string }): Promise<string[]> {
  try {
    return [...new Set((await run('conf-get', group)).map(({ item = '' }) => item))];
  } catch (error) {
    // Two texts for a group that is not there: without, and with other changes in the transaction.
    if (isRefusal(error, 'not exists', 'invalid identifier')) return [];
    throw error;
  }
}

function formatItemName({ section, id, item }: { section?: string; id?: string; item?: string }): string {
  return `${section}${id === undefined ? '' : `[${id}]`}${item === undefined ? '' : `.${item}`}`;
}
