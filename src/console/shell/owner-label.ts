// Owners of records and zones as pages show them: the object that a reader knows, and the cluster as its second part.
// Pure.
import { DNS_RECORD_OWNER } from '#base/owner-names.ts';
import { clipText } from './shown.ts';

export interface OwnerLabel {
  /** `default/mail`, or the owner as it is written. */
  text: string;
  /** The kind of the object. Null: the owner is not an object of Kubernetes. */
  kind: string | null;
  /** `DNSRecord default/mail in the cluster prod`. */
  title: string;
}

/** The form of the uid of a namespace, which is the name of a cluster without a name of its own. */
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A zone that an object manages: a kind and a name. */
const OBJECT = /^(?<kind>[A-Z][A-Za-z]*) (?<key>\S+)$/;
const MAX_TEXT = 60;

/** Whether the administrator gave the cluster no name (`operator.cluster` of the chart). */
export function isUnnamedCluster(cluster: string): boolean {
  return UID.test(cluster);
}

/** `prod`, or the first digits of a uid: `eb19f4ba`. */
export function labelCluster(cluster: string): string {
  return isUnnamedCluster(cluster) ? cluster.slice(0, 8) : clipText(cluster, MAX_TEXT);
}

export function labelOwner(owner: string): OwnerLabel {
  const { cluster, key } = DNS_RECORD_OWNER.exec(owner)?.groups ?? {};
  if (cluster !== undefined && key !== undefined) {
    const text = clipText(key, MAX_TEXT);
    return { text, kind: 'DNSRecord', title: `DNSRecord ${clipText(key)} in the cluster ${labelCluster(cluster)}` };
  }
  const { kind, key: name } = OBJECT.exec(owner)?.groups ?? {};
  if (kind !== undefined && name !== undefined) return { text: clipText(name, MAX_TEXT), kind, title: clipText(owner) };
  return { text: clipText(owner, MAX_TEXT), kind: null, title: clipText(owner) };
}

/** @param managedBy owners with commas between them, as the service joins them; null: none */
export function labelOwners(managedBy: string | null | undefined): OwnerLabel[] {
  return managedBy ? managedBy.split(', ').map(labelOwner) : [];
}

/** The owners in a sentence: `DNSRecord default/mail in the cluster prod, external-dns:web`. */
export function nameOwners(managedBy: string): string {
  return labelOwners(managedBy)
    .map(({ title }) => title)
    .join(', ');
}
