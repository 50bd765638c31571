// Owners of records in words. Pure.

/** `k8s:<cluster>/<namespace>/<name>`, the owner of a DNSRecord. */
export const DNS_RECORD_OWNER = /^k8s:(?<cluster>[^/]+)\/(?<key>.+)$/;

/** `the DNSRecord shop/web in the cluster prod`, or the owner as it is written. */
export function ownerName(owner: string): string {
  const { cluster, key } = DNS_RECORD_OWNER.exec(owner)?.groups ?? {};
  return cluster === undefined ? owner : `the DNSRecord ${key} in the cluster ${cluster}`;
}
