// Brings the configuration database of a running knotd to the given items, in one transaction. Zones, and groups that are
// not among the items, stay as they are.
import { type ConfigItem, nameItem } from './configuration.ts';
import type { KnotControl, KnotSession } from './control.ts';
import { isRefusal } from './errors.ts';

export interface Applied {
  /** The items that changed: `server.listen`, `policy[zonestead].manual`. */
  changed: string[];
  /** Whether some of them take effect only after a restart of knotd. */
  needsRestart: boolean;
}

/** Groups that the settings may leave out. */
const OPTIONAL = [{ section: 'mod-rrl', id: 'default' }];

/** Knot reads these once. */
const AT_START =
  /^(server\.(listen|rundir|pidfile|udp-workers|tcp-workers|background-workers|async-start)|control\.listen|database\..*)$/;

/** @throws KnotError with Knot's text; nothing is changed then */
export async function applyConfiguration(
  control: KnotControl,
  items: readonly ConfigItem[],
  signal: AbortSignal,
): Promise<Applied> {
  return control.session(async (session) => {
    const { run } = session;
    await beginConfiguration(run);
    try {
      await replace(session, items);
      // Knot compares: 21d and 1814400 are the same to it.
      const difference = await run('conf-diff');
      const changed = [...new Set(difference.map(nameOf))].sort();
      await run(changed.length === 0 ? 'conf-abort' : 'conf-commit');
      return { changed, needsRestart: changed.some((name) => AT_START.test(name)) };
    } catch (error) {
      await run('conf-abort').catch(() => {});
      throw error;
    }
  }, signal);
}

/** Begins a transaction; one that a predecessor left open is aborted. */
export async function beginConfiguration(run: KnotSession['run']): Promise<void> {
  try {
    await run('conf-begin');
  } catch (error) {
    if (!isRefusal(error, 'too many transactions')) throw error;
    await run('conf-abort');
    await run('conf-begin');
  }
}

async function replace({ run, stream }: KnotSession, items: readonly ConfigItem[]): Promise<void> {
  const groups = new Map<string, { section: string; id?: string }>();
  for (const group of [...OPTIONAL, ...items]) {
    const { section, id } = group;
    groups.set(`${section}[${id}]`, id === undefined ? { section } : { section, id });
  }
  for (const group of groups.values()) {
    await run('conf-unset', group).catch((error: unknown) => {
      // Two texts for a group that is not there: without, and with other changes in the transaction.
      if (!isRefusal(error, 'not exists', 'invalid identifier')) throw error;
    });
  }
  const units = items.map(({ section, id, item, value }) =>
    id === undefined || item === nameItem(section)
      ? { section, item, data: value }
      : { section, id, item, data: value },
  );
  await stream('conf-set', units, () => {});
}

function nameOf({ section, id, item }: { section?: string; id?: string; item?: string }): string {
  return `${section}${id === undefined ? '' : `[${id}]`}${item === undefined ? '' : `.${item}`}`;
}
