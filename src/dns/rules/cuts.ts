/**
 * Rules about zone cuts (contract X13, X14 and X15): a name at or below a delegation belongs to another zone (RFC 1034
 * section 4.2.1), so a record there would be accepted and never served. The caller loads all names; the rules look
 * nothing up.
 */
import { fqdn } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import { conflict } from '../verdict.ts';
import { NAMES_SHOWN } from './nearby-records.ts';
import { FINE, type Neighbour, type WriteRule } from './surroundings.ts';

/** X15: the name belongs to a child zone that is hosted here as well; its NS and DS here are made by the service. */
export const useChildZone: WriteRule = (record, { cutsAbove }) => {
  const child = cutsAbove.find(({ type }) => type === 'zone');
  if (child === undefined) return FINE;
  const id = child.zoneId === undefined ? '' : ` (${child.zoneId})`;
  return conflict(
    'in-child-zone',
    'name',
    `The name ${record.name} lies in the zone ${child.name}${id}, which is hosted here; write the record there.`,
  );
};

/** X13, below a cut: only the addresses of its name servers (glue). */
export const refuseOccluded: WriteRule = (record, { zone, cutsAbove, isServerOfCut }) => {
  const cut = cutsAbove.find(({ type }) => type === 'NS');
  if (cut === undefined || isGlue(record, zone, isServerOfCut)) return FINE;
  return conflict(
    'below-delegation',
    'name',
    `${cut.name} is delegated by NS records, so ${record.name} would never be answered from here; write it at those name servers. Only A and AAAA of the name servers themselves are accepted.`,
  );
};

/** X13, at the cut itself: besides NS and DS only the addresses of a name server that has the cut's own name. */
export const keepCutClean: WriteRule = (record, { zone, atName, replaces, isServerOfName }) => {
  if (record.type === 'DS') return FINE;
  const server = atName.firstOf('NS');
  if (record.type !== 'NS') {
    if (server === undefined || isGlue(record, zone, (name) => atName.hasServer(name))) return FINE;
    return conflict(
      'below-delegation',
      'name',
      `${record.name} is delegated by the NS record ${server.id}, so ${record.type} there would never be answered from here; write it at its name servers.`,
      someIds(atName.allOf('NS')),
    );
  }
  // The cut exists already: records at its name were checked when they were written.
  if (replaces === true || server !== undefined) return FINE;
  const isOwnServer = isServerOfName(fqdn(record.name, zone));
  const hiddenRecord = find(atName.firstOfEach(), ({ type }) => !(ADDRESSES.has(type) && isOwnServer) && type !== 'DS');
  if (hiddenRecord === undefined) return FINE;
  return conflict(
    'hides-records',
    'type',
    `Delegating ${record.name} would hide its ${hiddenRecord.type} record ${hiddenRecord.id}; move that one first.`,
    [hiddenRecord.id],
  );
};

/**
 * X14: a new delegation would hide existing names. The addresses of its own name servers do not count, so that glue and
 * NS can be written in either order. Other records at the names of those name servers do count.
 */
export const refuseToHide: WriteRule = (record, { atName, glue, below, replaces }) => {
  if (record.type !== 'NS' || replaces === true || atName.firstOf('NS') !== undefined) return FINE;
  const { records, names } = glue();
  const total = below.total() - records;
  if (total <= 0) return FINE;
  const hiddenNames = below.first(names);
  const more = total > hiddenNames.length ? ` and ${total - hiddenNames.length} more` : '';
  return conflict(
    'hides-records',
    'name',
    `Delegating ${record.name} would hide the records at ${hiddenNames.join(', ')}${more}; move them first. (The addresses of its own name servers may stay when all its NS records are written in one batch.)`,
  );
};

const ADDRESSES: ReadonlySet<string> = new Set(['A', 'AAAA']);

function isGlue(record: ParsedRecord, zone: string, isServer: (name: string) => boolean): boolean {
  return ADDRESSES.has(record.type) && isServer(fqdn(record.name, zone));
}

/** The ids of the first few records, because an answer names one record for each change of a request. */
function someIds(records: Iterable<Neighbour>): string[] {
  const ids: string[] = [];
  for (const { id } of records) if (ids.push(id) === NAMES_SHOWN) break;
  return ids;
}

function find<T>(items: Iterable<T>, test: (item: T) => boolean): T | undefined {
  for (const item of items) if (test(item)) return item;
  return undefined;
}
