// The commands that turn one part of knotd's configuration into another. Pure.
import { type ConfigItem, nameItem } from './configuration.ts';
import type { KnotArguments } from './connection.ts';

export interface ConfigCommand {
  readonly command: 'conf-set' | 'conf-unset';
  readonly args: KnotArguments;
}

/** Items that hold several values; `conf-set` adds one to them, and replaces the value of any other. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  remote: ['address'],
  acl: ['address', 'key', 'action', 'remote', 'protocol', 'cert-key'],
  'mod-queryacl': ['address'],
  template: ['notify', 'acl'],
  zone: ['notify', 'acl', 'module'],
};

/**
 * Commands for one transaction: first everything that is new, in the order of `wantedItems`, then what is no longer
 * wanted. Knot checks references at the commit, so the order within the transaction is free. The result is empty if
 * nothing differs.
 *
 * @param current the configuration of knotd, of the items that `wantedItems` decides
 */
export function diffConfig(current: readonly ConfigItem[], wantedItems: readonly ConfigItem[]): ConfigCommand[] {
  const presentKeys = new Set(current.map(keyOf));
  const wantedKeys = new Set(wantedItems.map(keyOf));
  const kinds = new Set(wantedItems.map(kindOf));
  const groups = new Set(wantedItems.filter(isName).map(groupOf));
  const goneGroups = new Set(current.filter((item) => isName(item) && !groups.has(groupOf(item))).map(groupOf));
  const commands: ConfigCommand[] = wantedItems
    .filter((item) => !presentKeys.has(keyOf(item)))
    .map((item) => ({ command: 'conf-set', args: { ...toArguments(item), data: item.value } }));
  for (const item of current) {
    if (wantedKeys.has(keyOf(item))) continue;
    if (goneGroups.has(groupOf(item))) {
      if (isName(item)) commands.push({ command: 'conf-unset', args: { section: item.section, id: item.value } });
    } else if (SEVERAL[item.section]?.includes(item.item)) {
      commands.push({ command: 'conf-unset', args: { ...toArguments(item), data: item.value } });
    } else if (!kinds.has(kindOf(item))) {
      commands.push({ command: 'conf-unset', args: toArguments(item) });
    }
  }
  return commands;
}

/**
 * Commands for zones in one transaction. Knot 3.2 serves no other client meanwhile, and 200 take a tenth of a second.
 */
const ZONES_AT_ONCE = 200;

/**
 * The commands in transactions that are each valid: first new groups with the templates that refer to them, then the
 * references of zones in small portions, then the removal of groups. A group never exists in part.
 *
 * @param isReference whether a command concerns a single zone and can be in any transaction between the two
 */
export function transactions(
  commands: readonly ConfigCommand[],
  isReference: (command: ConfigCommand) => boolean,
): ConfigCommand[][] {
  const references = commands.filter(isReference);
  const others = commands.filter((command) => !isReference(command));
  const portions: ConfigCommand[][] = [];
  for (let at = 0; at < references.length; at += ZONES_AT_ONCE) portions.push(references.slice(at, at + ZONES_AT_ONCE));
  const sets = others.filter(({ command }) => command === 'conf-set');
  const removals = others.filter(({ command }) => command === 'conf-unset');
  return [sets, ...portions, removals].filter((portion) => portion.length > 0);
}

/**
 * The zones that need a NOTIFY after these commands, because Knot sends none to a secondary that is new: names with
 * final dot, or `all` if the template of all zones changed.
 */
export function zonesToNotify(commands: readonly ConfigCommand[]): 'all' | string[] {
  const notifyCommands = commands.filter(({ command, args }) => command === 'conf-set' && args.item === 'notify');
  if (notifyCommands.some(({ args }) => args.section === 'template')) return 'all';
  return [
    ...new Set(
      notifyCommands.flatMap(({ args }) => (args.section === 'zone' && args.id !== undefined ? [args.id] : [])),
    ),
  ];
}

function isName({ section, item }: ConfigItem): boolean {
  return item === nameItem(section);
}

/** The item that names a group makes it, so it goes without the id. */
function toArguments(item: ConfigItem): KnotArguments {
  const { section, id, item: name } = item;
  return id === undefined || isName(item) ? { section, item: name } : { section, id, item: name };
}

function groupOf(item: ConfigItem): string {
  return `${item.section} ${isName(item) ? item.value : (item.id ?? '')}`;
}

function kindOf(item: ConfigItem): string {
  return `${groupOf(item)} ${item.item}`;
}

function keyOf(item: ConfigItem): string {
  return `${kindOf(item)} ${item.value}`;
}
