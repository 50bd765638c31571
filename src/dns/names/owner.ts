/**
 * Checks the form of an owner name for the type of its record: service labels for SRV and TLSA, host names for
 * addresses, no delegation or redirection of a wildcard.
 */

import type { RecordType } from '../types/record-type.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { offendingLabel } from './labels.ts';

/** Types whose owner is a host in the sense of RFC 1123: no hyphen at the end of a label (contract N6). */
const HOST_TYPES: ReadonlySet<RecordType> = new Set(['A', 'AAAA', 'ALIAS']);
const SERVICE_LABEL = /^_[a-z0-9_-]+$/;
const HYPHEN_INSIDE = /^[^-](?:.*[^-])?$/;
const PORT_LABEL = /^_(0|[1-9][0-9]{0,4})$/;

/** Judges a canonical relative name (`@`, `www`, `*.dev`) for `type` in `zone`; gives the name back. */
export function judgeOwnerForType(relative: string, zone: string, type: RecordType): Verdict<string> {
  const ownLabels = relative === '@' ? [] : relative.split('.');
  const [first = '', second = ''] = [...ownLabels, ...zone.split('.')];

  if (type === 'NS' && ownLabels[0] === '*') {
    return refuse(
      'name',
      'NS at a wildcard name is undefined (RFC 4592 section 4.2); delegate each subdomain by its name.',
    );
  }
  if (type === 'DNAME' && ownLabels[0] === '*') {
    return refuse(
      'name',
      'DNAME at a wildcard name is undefined (RFC 4592 section 4.4); redirect each subdomain by its name.',
    );
  }
  if (type === 'SRV' && !((first === '*' || SERVICE_LABEL.test(first)) && SERVICE_LABEL.test(second))) {
    return refuse(
      'name',
      `An SRV record is named "_service._proto…" (RFC 2782), for instance "_sip._tcp"; ${clip(relative)} is not.`,
    );
  }
  if (type === 'TLSA' && !((first === '*' || isPortLabel(first)) && SERVICE_LABEL.test(second))) {
    return refuse(
      'name',
      `A TLSA record is named "_port._proto…" (RFC 6698 section 3), for instance "_443._tcp.www"; ${clip(relative)} is not.`,
    );
  }
  if (HOST_TYPES.has(type)) {
    const edge = offendingLabel(ownLabels, HYPHEN_INSIDE);
    if (edge !== null) {
      return refuse('name', `The label ${clip(edge)} begins or ends with a hyphen, which no host name may (RFC 1123).`);
    }
  }
  return accept(relative);
}

function isPortLabel(label: string): boolean {
  return PORT_LABEL.test(label) && Number(label.slice(1)) <= 65_535;
}
