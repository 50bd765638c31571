// The owners of the records that external-dns writes: one for each object of Kubernetes, below the id of the instance.
// Pure.
//
//     external-dns:prod/ingress/shop/web     the records of an Ingress
//     external-dns:prod/registry             the TXT records of the TXT registry
//     external-dns:prod/other                records of a source that names no object
//
// The object belongs to the owner because external-dns needs it: if two objects want one name, the one that has it
// keeps it.
import { owner as ownerForm } from '#contract/owners.ts';
import type { DnsEndpoint } from './protocol.ts';

/**
 * The labels of external-dns: its instance, the object that wants the name, and the record that a registry's TXT is
 * about.
 */
const LABELS = { instance: 'owner', object: 'resource', registered: 'ownedRecord' } as const;
const REGISTRY = 'registry';
export const REGISTERED = LABELS.registered;
const OTHER = 'other';

/**
 * The beginning of all owners of one instance. No other instance has owners that begin so, because an id has no slash.
 */
export function buildInstancePrefix(ownerId: string): string {
  return `external-dns:${ownerId}/`;
}

export function buildEndpointOwner(
  ownerId: string,
  { recordType, labels }: Pick<DnsEndpoint, 'recordType' | 'labels'>,
): string {
  const object = labels?.[LABELS.object];
  const isRegistry = recordType === 'TXT' && !object && labels?.[LABELS.registered] !== undefined;
  const text = buildInstancePrefix(ownerId) + (object || (isRegistry ? REGISTRY : OTHER));
  return ownerForm.safeParse(text).success ? text : buildInstancePrefix(ownerId) + OTHER;
}

export function isRegistry(owner: string): boolean {
  return owner.endsWith(`/${REGISTRY}`) && owner.split('/').length === 2;
}

/** The labels that external-dns gave to the endpoint of this owner. */
export function buildLabels(ownerId: string, owner: string): Record<string, string> {
  const object = owner.slice(buildInstancePrefix(ownerId).length);
  // Objects have a slash: `service/<namespace>/<name>`, `node/<name>`.
  return { [LABELS.instance]: ownerId, ...(object.includes('/') ? { [LABELS.object]: object } : {}) };
}
