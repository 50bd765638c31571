// The navigation of the site is docs/index.md: its sections are the groups, and its lists are the entries. So the index
// on GitHub and the site cannot differ.
import type { DefaultTheme } from 'vitepress';
import { toSiteLink } from './links.ts';

type Entry = DefaultTheme.SidebarItem;

/** @param index text of docs/index.md */
export function readSidebar(index: string): Entry[] {
  const groups: Entry[] = [];
  let items: Entry[] | undefined;
  for (const line of index.split('\n')) {
    const heading = /^(##|###) (.+)$/.exec(line);
    const entry = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line);
    if (heading !== null) {
      const group: Entry = { text: heading[2]!, collapsed: true, items: [] };
      if (heading[1] === '##') groups.push(group);
      else groups.at(-1)?.items?.push(group);
      items = group.items;
    } else if (entry !== null) {
      items?.push({ text: entry[1]!, link: `/${toSiteLink('docs/index.md', entry[2]!).href}` });
    }
  }
  // A reader who comes from a search engine must see where to begin.
  if (groups[0] !== undefined) groups[0].collapsed = false;
  return groups;
}

/** The entries of one group, for a menu at the head of the site. @throws if the index has no such group */
export function readMenu(sidebar: readonly Entry[], name: string): DefaultTheme.NavItemWithChildren {
  const group = sidebar.find(({ text }) => text === name);
  if (group === undefined) throw new Error(`docs/index.md has no section "${name}"`);
  const links = (group.items ?? []).filter((entry) => entry.link !== undefined);
  return { text: name, items: links.map(({ text = '', link = '' }) => ({ text, link })) };
}
