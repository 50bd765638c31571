// The sentences of a DNSZone whose deletion waits for records in it. `kubectl zonestead why` reads the names of the
// records back, so that it can print a command for each of them. Pure.
import { FORCE_DELETE } from './names.ts';

/** The records in a zone that its deletion must not take out of DNS. */
export interface KeptRecords {
  /** The names and types of records that no DNSRecord owns, such as `www A`. */
  readonly unowned: readonly string[];
  /** The number of DNSRecords of other namespaces that have records in the zone. */
  readonly ofOthers: number;
}

/** The records that a sentence names; the others are mentioned. */
export const MAX_NAMED = 5;
const UNOWNED = 'The zone contains records that no DNSRecord owns: ';

/** @returns null if nothing keeps the zone */
export function deletionWaits({ unowned, ofOthers }: KeptRecords): string | null {
  if (unowned.length === 0 && ofOthers === 0) return null;
  const more = unowned.length > MAX_NAMED ? ' and others' : '';
  const objects = ofOthers === 1 ? 'a DNSRecord of another namespace' : `${ofOthers} DNSRecords of other namespaces`;
  return [
    ...(unowned.length > 0 ? [`${UNOWNED}${unowned.slice(0, MAX_NAMED).join(', ')}${more}.`] : []),
    ...(ofOthers > 0 ? [`The zone contains the records of ${objects}, and their owners still need them.`] : []),
    ...(unowned.length > 0 ? ['Delete these records at the DNS service.'] : []),
    ...(ofOthers > 0 ? ['Wait until those DNSRecords are deleted.'] : []),
    `Otherwise set spec.deletionPolicy: Retain to keep the zone, or annotate this object with ${FORCE_DELETE}=true to delete the zone with all its records.`,
  ].join(' ');
}

/**
 * The records without an owner that a sentence names. Texts that are not names are omitted, because a command is made
 * of them.
 */
export function unownedIn(message: string): { name: string; type: string }[] {
  const start = message.indexOf(UNOWNED);
  const [, list = ''] =
    start < 0 ? [] : (/^(.*?)(?: and others)?\. /.exec(message.slice(start + UNOWNED.length)) ?? []);
  return list.split(', ').flatMap((each) => {
    const [, name, type] = /^([A-Za-z0-9_*@][A-Za-z0-9_*@./-]*) ([A-Z0-9]+)$/.exec(each) ?? [];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
}
