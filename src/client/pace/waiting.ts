// A change that waits in the dispatcher: its lane, its window of writes, its group and its zone.

/** The order within a group: certificates use `acme`, people wait for `change`, and `create` is bulk. */
export const LANES = ['acme', 'change', 'create'] as const;

export type Lane = (typeof LANES)[number];

/** The service counts writes of zones, of records, and of records of challenges in separate windows. */
export const PACED_BUCKETS = ['zones', 'records', 'challenges'] as const;

export type PacedBucket = (typeof PACED_BUCKETS)[number];

/** A value for each window. */
export function perBucket<T>(make: () => T): Record<PacedBucket, T> {
  return { zones: make(), records: make(), challenges: make() };
}

export interface Waiting {
  readonly lane: Lane;
  readonly bucket: PacedBucket;
  /** Jobs of one group take turns with those of the others. */
  readonly group: string;
  /** Null for calls that belong to no zone yet; those do not block each other. */
  readonly zone: string | null;
  /** About how many bytes the job adds to a batch; 0 when it can only be sent alone. */
  readonly bytes: number;
}
