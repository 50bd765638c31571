// Which records the name servers answer with while clusters are drained or lost. Pure. The rule is that of the service
// (service/nodes/render.ts).

/** The records of one name and type: without the withdrawn ones, unless there are no others. */
export function servedOf<R extends { readonly withdrawn?: boolean | undefined }>(records: readonly R[]): readonly R[] {
  const kept = records.filter(({ withdrawn }) => withdrawn !== true);
  return kept.length > 0 ? kept : records;
}

/** The sentence of a DNSRecord whose values are withdrawn. */
export function drainedMessage(cluster: string): string {
  return `Cluster ${cluster} is drained, so the name servers answer with other values at this name and type. To serve these values again, an owner of the team runs: zonestead clusters restore ${cluster}`;
}
