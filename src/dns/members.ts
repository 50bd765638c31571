// The members of an RRset, its records, and which of them name servers answer with: the rule of drained clusters, of
// health checks and of tiers. Pure. The service renders by it, and the operator proves answers by it.
import { accept, refuse, type Verdict } from './verdict.ts';

/** The answer of an RRset while all of its members fail. */
export const WHEN_ALL_FAIL = ['ServeAll', 'ServeNone'] as const;
export type WhenAllFail = (typeof WHEN_ALL_FAIL)[number];

/** The lowest tier with a member that can be served is answered. */
export const MAX_TIER = 9;
/**
 * A record with a check or a weight has a TTL of at most so many seconds in answers: a longer one would outlive the
 * failover, and resolvers would keep one draw for all of their clients.
 */
export const MAX_CHECKED_TTL = 60;

/** The chance of a record that is drawn is its weight divided by the sum of the weights. */
export const MAX_WEIGHT = 255;
/** RRsets with more records are answered as a whole: name servers draw with no smaller chances. */
export const MAX_WEIGHTED = 64;

/**
 * The health of a record and its wish for a PTR record, as they are stored with the record. A part that has its default
 * is absent, so that equal values are written alike.
 */
export interface RecordHealth {
  /** The name of a check of the team or person that has the zone. */
  check?: string;
  /** 1 to 9. Lower tiers are answered first; by default it is 0. */
  tier?: number;
  whenAllFail?: 'ServeNone';
  /** 1 to 255. If a record of an RRset has one, the RRset is answered with one record, and others have 1. */
  weight?: number;
  /** The service writes a PTR record for its address; see reverse.ts. */
  reverse?: true;
  /** The ids of the only zones in which that PTR record may be, in their order. Absent: every zone. */
  reverseIn?: readonly string[];
}

/** The types whose records are addresses, which a check can reach. */
export const CHECKED_TYPES: readonly string[] = ['A', 'AAAA'];

/** The same parts as a client writes them. An omitted part has its default. */
export interface HealthInput {
  check?: string | null | undefined;
  tier?: number | null | undefined;
  whenAllFail?: WhenAllFail | null | undefined;
  weight?: number | null | undefined;
  reverse?: boolean | null | undefined;
  reverseIn?: readonly string[] | null | undefined;
}

/**
 * @returns absent: the input says nothing, so a stored record keeps its own; null: every part has its default
 */
export function parseHealth(input: HealthInput, name: string, type: string): Verdict<RecordHealth | null | undefined> {
  const { check, tier, whenAllFail, weight, reverse, reverseIn } = input;
  if ([check, tier, whenAllFail, weight, reverse, reverseIn].every((part) => part === undefined))
    return accept(undefined);
  if (tier !== null && tier !== undefined && !(Number.isInteger(tier) && tier >= 0 && tier <= MAX_TIER))
    return refuse('tier', `The tier is ${String(tier)}; it must be a whole number from 0 to ${MAX_TIER}.`);
  if (weight !== null && weight !== undefined && !(Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT))
    return refuse('weight', `The weight is ${String(weight)}; it must be a whole number from 1 to ${MAX_WEIGHT}.`);
  if (reverseIn && !reverse)
    return refuse('reverseIn', 'reverseIn is for a record with "reverse": true: omit it, or set reverse.');
  const health: RecordHealth = {
    ...(check ? { check } : {}),
    ...(tier ? { tier } : {}),
    ...(whenAllFail === 'ServeNone' ? { whenAllFail } : {}),
    ...(weight ? { weight } : {}),
    ...(reverse ? { reverse } : {}),
    ...(reverseIn ? { reverseIn: [...new Set(reverseIn)].sort() } : {}),
  };
  const [field] = Object.keys(health);
  if (field === undefined) return accept(null);
  // The answer of a wildcard needs a signed proof that no closer name exists, which a drawn answer lacks.
  if (weight && name.startsWith('*'))
    return refuse('weight', `The wildcard ${name} has no weight: give a weight to the records of each name.`);
  if (CHECKED_TYPES.includes(type)) return accept(health);
  if (field === 'weight')
    return refuse(field, `A ${type} record has no weight: only the addresses of A and AAAA records can be drawn.`);
  if (field === 'reverse')
    return refuse(
      field,
      `A ${type} record has no reverse: only A and AAAA records have an address that a PTR record can be for.`,
    );
  return refuse(field, `A ${type} record has no ${field}: only the addresses of A and AAAA records can be checked.`);
}

export function sameHealth(one: RecordHealth | null, other: RecordHealth | null): boolean {
  const parts = ['check', 'tier', 'whenAllFail', 'weight', 'reverse'] as const;
  return parts.every((part) => one?.[part] === other?.[part]) && `${one?.reverseIn}` === `${other?.reverseIn}`;
}

/** A record with the values that decide about it. An absent part has its default. */
export interface Member {
  /** Whether all its owners are withdrawn, because their clusters are drained or lost. */
  readonly withdrawn?: boolean | undefined;
  /** Whether its check says that its address does not work. */
  readonly failing?: boolean | undefined;
  readonly tier?: number | undefined;
  readonly whenAllFail?: WhenAllFail | undefined;
  readonly weight?: number | undefined;
}

/**
 * The records of one name and type that name servers answer with: those of the lowest tier with one that is neither
 * withdrawn nor failing. If there is none, the lowest tier as a whole, and first of all without the withdrawn ones: an
 * RRset is never empty because something is down, unless all of its failing records want that (`ServeNone`).
 */
export function pickServed<R extends Member>(records: readonly R[]): readonly R[] {
  const presentRecords = records.filter(({ withdrawn }) => withdrawn !== true);
  const workingRecords = presentRecords.filter(({ failing }) => failing !== true);
  if (workingRecords.length > 0) return lowestTier(workingRecords);
  const isNone = presentRecords.length > 0 && presentRecords.every(({ whenAllFail }) => whenAllFail === 'ServeNone');
  if (isNone) return [];
  return lowestTier(presentRecords.length > 0 ? presentRecords : records);
}

function lowestTier<R extends Member>(records: readonly R[]): readonly R[] {
  // Not a spread: an RRset may have thousands of records.
  const lowest = records.reduce((least, { tier = 0 }) => Math.min(least, tier), MAX_TIER);
  return records.filter(({ tier = 0 }) => tier === lowest);
}

/**
 * The weights of records that are answered one at a time.
 * @param records those of pickServed
 * @returns the weight of each; null: they are answered together
 */
export function pickWeights(records: readonly Pick<Member, 'weight'>[]): number[] | null {
  if (records.length < 2 || records.length > MAX_WEIGHTED) return null;
  if (records.every(({ weight }) => weight === undefined)) return null;
  return records.map(({ weight = 1 }) => weight);
}

/** The TTL with which name servers answer a record. @param ttl its own, in seconds */
export function chooseServedTtl(ttl: number, health: Pick<RecordHealth, 'check' | 'weight'> | null): number {
  return health?.check === undefined && health?.weight === undefined ? ttl : Math.min(ttl, MAX_CHECKED_TTL);
}

/** The parts without the wish for a PTR record. */
export function withoutReverse({ reverse: _wish, reverseIn: _zones, ...health }: RecordHealth): RecordHealth {
  return health;
}
