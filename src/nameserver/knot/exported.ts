// Brings a configuration that knotc has exported up to date: Zonestead's items are replaced, and everything else stays.
// Pure.
import { OPTIONAL_GROUPS } from './apply.ts';
import { type ConfigItem, WEIGHT_MODULE } from './configuration.ts';
import {
  groupsOfItems,
  keyOfGroup,
  parseConfiguration,
  textOfGroups,
  type WrittenGroup,
} from './configuration-file.ts';
import { isOwned, TLS_ACL } from './secondaries.ts';

/**
 * The order of Knot's schema: a group comes before those that refer to it. All other sections are before the last two.
 */
const FIRST = [
  'module',
  'server',
  'control',
  'log',
  'statistics',
  'database',
  'keystore',
  'key',
  'remote',
  'remotes',
  'acl',
];
const LAST = ['template', 'zone'];

/**
 * @param exportedText as `knotc conf-export` writes it
 * @param items as configuration() returns them
 * @returns a file for `knotc conf-import`: the items, the zones, everything that transferItems decides, and a cookie
 * secret that the items lack. The modules of zones with weights go. An ACL that needs TLS denies everything if this
 * knotd does not answer over TLS
 * @throws Error if the text is not an export
 */
export function mergeConfiguration(exportedText: string, items: readonly ConfigItem[]): string {
  const wantedGroups = groupsOfItems(items);
  const ownGroupKeys = new Set([...OPTIONAL_GROUPS, ...wantedGroups].map(keyOfGroup));
  const groups = new Map(wantedGroups.map((group) => [keyOfGroup(group), group]));
  const overTls = items.some(({ section, item }) => section === 'server' && item === 'listen-tls');
  for (const exportedGroup of parseConfiguration(exportedText)) {
    if (isOfWeights(exportedGroup)) continue;
    const group = withoutWeights(closedAcl(exportedGroup, overTls));
    const key = keyOfGroup(group);
    if (!ownGroupKeys.has(key)) groups.set(key, group);
    const ownGroup = groups.get(key);
    if (ownGroup === undefined || ownGroup === group) continue;
    const has = new Set(ownGroup.items.map(({ item }) => item));
    const keptItems = group.items.filter((each) => isKept(group, each.item) && !has.has(each.item));
    groups.set(key, { ...ownGroup, items: [...ownGroup.items, ...keptItems] });
  }
  return textOfGroups([...groups.values()].sort((a, b) => rankSection(a) - rankSection(b)));
}

/**
 * Knot 3.2 drops the items for TLS, and they are still missing when Knot 3.4 starts with that database again. In
 * both cases the node sets the ACL again.
 */
function closedAcl(group: WrittenGroup, overTls: boolean): WrittenGroup {
  const { section, id = '', items } = group;
  if (section !== 'acl' || !id.endsWith(TLS_ACL)) return group;
  if (overTls && items.some(({ item }) => item === 'protocol')) return group;
  const others = items.filter(({ item }) => !['protocol', 'cert-key', 'deny'].includes(item));
  return { ...group, items: [...others, { item: 'deny', written: 'on' }] };
}

/**
 * The node gives zones with weights their module again. A knotd of another version may lack the module, and a damaged
 * file of it would keep knotd from starting.
 */
function isOfWeights({ section, id }: WrittenGroup): boolean {
  return section === WEIGHT_MODULE || (section === 'module' && id === WEIGHT_MODULE);
}

function withoutWeights(group: WrittenGroup): WrittenGroup {
  if (group.section !== 'zone') return group;
  const isOther = ({ item, written }: WrittenGroup['items'][number]) =>
    item !== 'module' || !written.includes(`${WEIGHT_MODULE}/`);
  return { ...group, items: group.items.filter(isOther) };
}

/** The node sets the cookie secret: the command that calls this need not know the node key. */
function isKept({ section, id = '' }: WrittenGroup, item: string): boolean {
  return isOwned({ section, id, item }, false) || (section === 'mod-cookies' && item === 'secret');
}

function rankSection({ section }: WrittenGroup): number {
  const first = FIRST.indexOf(section);
  if (first >= 0) return first;
  return FIRST.length + LAST.indexOf(section) + 1;
}
