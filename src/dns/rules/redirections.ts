/**
 * Rules about DNAME records (contract X20 to X22, RFC 6672 sections 2.3 and 2.4): a DNAME is the only one at its name,
 * and redirects all names below it, so that no records and no zones may be there. Knot refuses a zone that breaks these
 * rules.
 */
import { fqdn } from '../names/name.ts';
import { conflict } from '../verdict.ts';
import { FINE, type WriteRule } from './surroundings.ts';

/** X20: a name is redirected once. The rule for CNAME refuses a CNAME at the name, and the rules for cuts refuse NS. */
export const keepDnameSingle: WriteRule = (record, { atName }) => {
  if (record.type !== 'DNAME') return FINE;
  const other = atName.firstOf('DNAME');
  if (other === undefined) return FINE;
  return conflict(
    'dname-single',
    'type',
    `${record.name} has the DNAME record ${other.id} already, and a name has at most one; update that one instead.`,
    [other.id],
  );
};

/** X21: the record would never be served, because its name is redirected. */
export const refuseRedirected: WriteRule = (record, { cutsAbove }) => {
  const redirection = cutsAbove.find(({ type }) => type === 'DNAME');
  if (redirection === undefined) return FINE;
  return conflict(
    'below-dname',
    'name',
    `The DNAME record of ${redirection.name} redirects all names below it, so ${record.name} would never be served; delete the DNAME first, or write the record at its target.`,
  );
};

/** X22: a new DNAME would hide existing names and hosted zones. */
export const refuseToRedirect: WriteRule = (record, { zone, below, zoneBelow: child, replaces }) => {
  if (record.type !== 'DNAME') return FINE;
  if (child !== null) {
    return conflict(
      'hides-records',
      'name',
      `The zone ${child.name} (${child.id}) is hosted here, and a DNAME at ${fqdn(record.name, zone)} would redirect it; choose a name that is not above it.`,
    );
  }
  const total = replaces === true ? 0 : below.total();
  if (total <= 0) return FINE;
  const names = below.first(new Set());
  const more = total > names.length ? ' and others' : '';
  return conflict(
    'hides-records',
    'name',
    `A DNAME redirects all names below ${record.name}, and would hide the records at ${names.join(', ')}${more}; move them first.`,
  );
};
