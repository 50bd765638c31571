// The names of the checks that the operator makes for DNSRecords with an inline definition. A name belongs to one
// object of one cluster, and shows the cluster and the namespace, so that an operator finds the checks that no object
// needs any more and leaves those of other operators alone. Pure.
import { createHash } from 'node:crypto';
import { OBJECT_CHECKS } from '#base/check-form.ts';
import { splitKey } from '#kube/objects/resource.ts';

/** Hexadecimal digits. The last part alone tells two objects apart; the others only find names. */
const PLACE_DIGITS = 8;
const OBJECT_DIGITS = 32;

/** @param key the key of a DNSRecord */
export function buildCheckName(cluster: string, key: string): string {
  const { namespace = '' } = splitKey(key);
  return `${prefixOf(cluster)}${digest(namespace, PLACE_DIGITS)}-${digest(`${cluster}/${key}`, OBJECT_DIGITS)}`;
}

/** @param namespaces those that the operator watches; undefined: all */
export function isCheckOf(name: string, cluster: string, namespaces: readonly string[] | undefined): boolean {
  if (!name.startsWith(prefixOf(cluster))) return false;
  if (namespaces === undefined) return true;
  const [place] = name.slice(prefixOf(cluster).length).split('-');
  return namespaces.some((namespace) => digest(namespace, PLACE_DIGITS) === place);
}

function prefixOf(cluster: string): string {
  return `${OBJECT_CHECKS}${digest(cluster, PLACE_DIGITS)}-`;
}

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
