// The text form of Knot's configuration, for `knotc conf-import` and `conf-export`. Pure.
//
// It has sections, in some of them groups, and in these items, one in each line; an item with several values has them
// in brackets: `address: [ "192.0.2.1@53", "192.0.2.2@53" ]`.
import { type ConfigItem, nameItem } from './configuration.ts';

/** A section, or one group of a section that has several. */
export interface WrittenGroup {
  readonly section: string;
  /** The name of the group. */
  readonly id?: string;
  readonly items: readonly { readonly item: string /** The values as in the file. */; readonly written: string }[];
}

/** The items as a file for `knotc conf-import`. */
export function configurationFile(items: readonly ConfigItem[]): string {
  return textOfGroups(groupsOfItems(items));
}

export function groupsOfItems(items: readonly ConfigItem[]): WrittenGroup[] {
  const groups = new Map<string, { section: string; id?: string; values: Map<string, string[]> }>();
  for (const { section, id, item, value } of items) {
    const key = keyOfGroup(id === undefined ? { section } : { section, id });
    const group = groups.get(key) ?? { section, ...(id === undefined ? {} : { id }), values: new Map() };
    groups.set(key, group);
    if (id === undefined || item !== nameItem(section)) {
      group.values.set(item, [...(group.values.get(item) ?? []), quoted(value)]);
    }
  }
  return [...groups.values()].map(({ values, ...group }) => ({
    ...group,
    items: [...values].map(([item, all]) => ({ item, written: all.length > 1 ? `[ ${all.join(', ')} ]` : all[0]! })),
  }));
}

/** Groups of one section must follow one another. */
export function textOfGroups(groups: readonly WrittenGroup[]): string {
  let text = '';
  let last = '';
  for (const { section, id, items } of groups) {
    if (section !== last) text += `${section}:\n`;
    last = section;
    if (id !== undefined) text += `  - ${nameItem(section)}: ${quoted(id)}\n`;
    for (const { item, written } of items) text += `    ${item}: ${written}\n`;
  }
  return text;
}

/**
 * @param text as `knotc conf-export` writes it
 * @throws Error if it is not
 */
export function parseConfiguration(text: string): WrittenGroup[] {
  const groups: (WrittenGroup & { items: { item: string; written: string }[] })[] = [];
  let section = '';
  let open: (typeof groups)[number] | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, indent, item, valueText = ''] = /^( {4}| {2}- |)([a-z0-9-]+):(?: (.+))?$/.exec(line) ?? [];
    if (indent === undefined || item === undefined || (indent === '') !== (valueText === '')) {
      throw new Error(`the configuration that Knot exported contains an unknown line: ${line.slice(0, 60)}`);
    }
    if (indent === '') {
      section = item;
      open = undefined;
    } else if (indent === '  - ') {
      open = { section, id: valueText.replace(/^"(.*)"$/, '$1'), items: [] };
      groups.push(open);
    } else {
      if (open === undefined) {
        open = { section, items: [] };
        groups.push(open);
      }
      open.items.push({ item, written: valueText });
    }
  }
  return groups;
}

export function keyOfGroup({ section, id = '' }: Pick<WrittenGroup, 'section' | 'id'>): string {
  return `${section}[${id}]`;
}

/** Knot has no other escapes: a backslash stands for itself. */
function quoted(value: string): string {
  return `"${value.replace(/"/g, '\\"')}"`;
}
