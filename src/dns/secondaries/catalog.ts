// The catalog zone of one secondary (RFC 9432): which zones it is to serve. Pure.
//
// Each secondary has a catalog of its own, so that none learns the names of zones that it does not get. The catalog is
// an ordinary zone that the node writes, not one that knotd generates (`catalog-role: generate`), for three reasons
// found by trying and in Knot's source:
// - knotd puts a zone into one catalog only, so two secondaries with different lists could not be served;
// - knotd makes the label of a member from the second in which it was added: two nodes have different labels for the
//   same zone, and a secondary that changes its source would drop and transfer every zone again (RFC 9432 section 5.6);
// - a zone that is deleted and created again within that second keeps its label, so secondaries keep its old state.
// Here the label comes from the id of the zone: equal on all nodes, and another one for a zone that was created again.
import { createHash } from 'node:crypto';

/** Below `invalid` (RFC 6761 section 6.4), so that no resolver ever asks for it. */
const SUFFIX = 'catalog.zonestead.invalid';

/** The name of the catalog zone of a secondary, without final dot. */
export function catalogName(secondary: string): string {
  return `${secondary}.${SUFFIX}`;
}

/** Whether a zone of the engine is a catalog, which the api does not know. */
export function isCatalogName(zone: string): boolean {
  return zone.endsWith(`.${SUFFIX}`);
}

export interface CatalogMember {
  /** The id of the zone in the api. */
  readonly id: string;
  /** The name of the zone, absolute and without final dot. */
  readonly name: string;
}

export interface CatalogRecord {
  /** Relative to the catalog. */
  readonly owner: string;
  readonly type: 'NS' | 'TXT' | 'PTR';
  readonly data: string;
}

/** Catalog records are read by zone transfer only, so their TTL has no meaning (RFC 9432 section 4.1). */
export const CATALOG_TTL = 0;

/** The records that every catalog has, besides its SOA (RFC 9432 sections 4.1 and 4.2.1). */
export const CATALOG_HEAD: readonly CatalogRecord[] = [
  { owner: '@', type: 'NS', data: 'invalid.' },
  { owner: 'version', type: 'TXT', data: '"2"' },
];

/** The PTR record of a member. Its label is a hash, because ids may differ in case only, and labels may not. */
export function memberRecord({ id, name }: CatalogMember): CatalogRecord {
  const label = createHash('sha256').update(id).digest('hex').slice(0, 32);
  return { owner: `${label}.zones`, type: 'PTR', data: `${name}.` };
}

/** The members of a secondary's catalog, of all zones that exist. */
export function membersFor(
  zones: 'all' | readonly string[],
  existingMembers: readonly CatalogMember[],
): CatalogMember[] {
  if (zones === 'all') return [...existingMembers];
  const wantedNames = new Set(zones);
  return existingMembers.filter(({ name }) => wantedNames.has(name));
}

export interface CatalogChange {
  readonly add: readonly CatalogRecord[];
  readonly remove: readonly CatalogRecord[];
}

/**
 * The change from `current` (the records of a catalog without SOA, in any order) to the catalog of these members. It
 * removes unknown records as well.
 */
export function catalogChange(current: readonly CatalogRecord[], members: readonly CatalogMember[]): CatalogChange {
  const wantedRecords = new Map(
    [...CATALOG_HEAD, ...members.map(memberRecord)].map((record) => [keyOf(record), record]),
  );
  const presentRecords = new Map(current.map((record) => [keyOf(record), record]));
  return {
    add: [...wantedRecords].filter(([key]) => !presentRecords.has(key)).map(([, record]) => record),
    remove: [...presentRecords].filter(([key]) => !wantedRecords.has(key)).map(([, record]) => record),
  };
}

function keyOf({ owner, type, data }: CatalogRecord): string {
  return `${owner} ${type} ${data}`.toLowerCase();
}
