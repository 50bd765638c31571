// The write windows: a bucket counts one kind of writes of one holder. The database, the service, the headers of an
// answer, the metrics and the contract read this table.

export interface BucketSettings {
  /** Writes per window, unless a key has a limit of its own (contract L1). */
  readonly limit: number;
  /** The length of the sliding window. */
  readonly windowMs: number;
  /** `key`: each key by itself. `person`: all keys and sessions of a person together. */
  readonly holder: 'key' | 'person';
  /** In the sentence of a refusal: "the limit of 60 … per 60 seconds". */
  readonly kind: string;
}

const MINUTE_MS = 60_000;

export const BUCKETS = {
  zones: { limit: 10, windowMs: MINUTE_MS, holder: 'key', kind: 'zone writes' },
  records: { limit: 60, windowMs: MINUTE_MS, holder: 'key', kind: 'record writes' },
  // The TXT records of ACME challenges, apart from all others, so that no bulk of records makes a certificate wait.
  challenges: { limit: 60, windowMs: MINUTE_MS, holder: 'key', kind: 'challenge writes' },
  account: { limit: 30, windowMs: MINUTE_MS, holder: 'person', kind: 'changes of teams, members, keys and trusts' },
  'sign-ins': { limit: 30, windowMs: MINUTE_MS, holder: 'person', kind: 'sign-ins' },
} as const satisfies Record<string, BucketSettings>;

export type Bucket = keyof typeof BUCKETS;
/** The buckets that requests of the REST API count in. */
export type RouteBucket = Exclude<Bucket, 'sign-ins'>;
export const ROUTE_BUCKETS = (Object.keys(BUCKETS) as Bucket[]).filter(
  (bucket): bucket is RouteBucket => bucket !== 'sign-ins',
);
