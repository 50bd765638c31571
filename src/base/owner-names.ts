// Owners of records in words. Pure.

/**
 * A header, a sentence or a log line names so many owners: a record has up to 100 of 400 characters. It counts the
 * others.
 */
export const MAX_TOLD_OWNERS = 5;

/** `k8s:<cluster>/<namespace>/<name>`, the owner of a DNSRecord. */
export const DNS_RECORD_OWNER = /^k8s:(?<cluster>[^/]+)\/(?<key>.+)$/;

/** `the DNSRecord shop/web in the cluster prod`, or the owner as it is written. */
export function ownerName(owner: string): string {
  const { cluster, key } = DNS_RECORD_OWNER.exec(owner)?.groups ?? {};
  return cluster === undefined ? owner : `the DNSRecord ${key} in the cluster ${cluster}`;
}
