/**
 * Rules about zone cuts (X13, X14 and X15): a name at or below a delegation belongs to another zone (RFC 1034 section
 * 4.2.1), so a record there would be accepted and never served. The caller loads all names; the rules look nothing up.
 */
import { fqdn } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import { conflict } from '../verdict.ts';
import { NAMES_SHOWN } from './nearby-records.ts';
import { FINE, type WriteRule } from './surroundings.ts';

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
export const refuseOccluded: WriteRule = (record, { zone, cutsAbove, nsAtCutTargets }) => {
  const cut = cutsAbove.find(({ type }) => type === 'NS');
  if (cut === undefined || isGlue(record, zone, nsAtCutTargets)) return FINE;
  return conflict(
    'below-delegation',
    'name',
    `${cut.name} is delegated by NS records, so ${record.name} would never be answered from here; write it at those name servers. Only A and AAAA of the name servers themselves are accepted.`,
  );
};

/** X13, at the cut itself: besides NS and DS only the addresses of a name server that has the cut's own name. */
export const keepCutClean: WriteRule = (record, { zone, atName, replaces, cutTargets = [record.target] }) => {
  if (record.type === 'DS') return FINE;
  if (record.type !== 'NS') {
    const servers = atName.filter(({ type }) => type === 'NS');
    const targets = servers.flatMap(({ target }) => (target === null ? [] : [target]));
    if (servers.length === 0 || isGlue(record, zone, targets)) return FINE;
    return conflict(
      'below-delegation',
      'name',
      `${record.name} is delegated by the NS record ${servers[0]!.id}, so ${record.type} there would never be answered from here; write it at its name servers.`,
      servers.map(({ id }) => id),
    );
  }
  // The cut exists already: records at its name were checked when they were written.
  if (replaces === true || atName.some(({ type }) => type === 'NS')) return FINE;
  const owner = fqdn(record.name, zone);
  const hidden = atName.find(({ type }) => !(ADDRESSES.has(type) && cutTargets.includes(owner)) && type !== 'DS');
  if (hidden === undefined) return FINE;
  return conflict(
    'hides-records',
    'type',
    `Delegating ${record.name} would hide its ${hidden.type} record ${hidden.id}; move that one first.`,
    [hidden.id],
  );
};

/**
 * X14: a new delegation would hide existing names. The addresses of its own name servers do not count, so that glue and
 * NS can be written in either order. Other records at the names of those name servers do count.
 */
export const refuseToHide: WriteRule = (record, { atName, atTarget = [], below, replaces }) => {
  if (record.type !== 'NS' || replaces === true || atName.some(({ type }) => type === 'NS')) return FINE;
  const inside = atTarget.filter(({ name }) => name.endsWith(`.${record.name}`));
  const [glue, others] = [
    inside.filter(({ type }) => ADDRESSES.has(type)),
    inside.filter(({ type }) => !ADDRESSES.has(type)),
  ];
  const onlyGlue = glue.map(({ name }) => name).filter((name) => others.every((other) => other.name !== name));
  const hidden = below.names.filter((name) => !onlyGlue.includes(name)).slice(0, NAMES_SHOWN);
  const total = below.total - glue.length;
  if (total <= 0) return FINE;
  const more = total > hidden.length ? ` and ${total - hidden.length} more` : '';
  return conflict(
    'hides-records',
    'name',
    `Delegating ${record.name} would hide the records at ${hidden.join(', ')}${more}; move them first. (The addresses of its own name servers may stay when all its NS records are written in one batch.)`,
  );
};

const ADDRESSES: ReadonlySet<string> = new Set(['A', 'AAAA']);

function isGlue(record: ParsedRecord, zone: string, targets: readonly string[]): boolean {
  return ADDRESSES.has(record.type) && targets.includes(fqdn(record.name, zone));
}
