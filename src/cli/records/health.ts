// The options of records about their addresses: the check that probes one, the answer when it fails, and the PTR
// record.
import { type HealthText, type ReverseText, writeHealth, writeReverse } from '#contract/check-text.ts';
import type { ListedRecord } from '#contract/record.ts';
import { MAX_TIER, MAX_WEIGHT, WHEN_ALL_FAIL, type WhenAllFail } from '#dns/members.ts';
import type { OptionDescription } from '../command.ts';

/** The check may be empty, which means none. */
export type HealthOptions = Omit<HealthBody, 'check'> & { check?: string | undefined };

/** For A and AAAA records. */
export const HEALTH: readonly OptionDescription[] = [
  {
    flags: '--check <check>',
    describe: 'for A and AAAA: health check that probes the address, as "checks list" prints it; "" removes it',
  },
  {
    flags: '--tier <number>',
    describe: `for A and AAAA: answer with it only while the records of lower tiers fail, from 0 (usual) to ${MAX_TIER}`,
    value: 'number',
  },
  {
    flags: '--when-all-fail <answer>',
    describe: 'for A and AAAA: answer while all addresses of the name fail (usual: ServeAll)',
    choices: WHEN_ALL_FAIL,
  },
  {
    flags: '--weight <number>',
    describe: `for A and AAAA: answer with one address of the name, drawn by weights from 1 to ${MAX_WEIGHT}; 0 removes it`,
    value: 'number',
  },
  { flags: '--reverse', describe: 'for A and AAAA: the service writes the PTR record of the address' },
  { flags: '--no-reverse', describe: 'the service writes no PTR record, and removes one that it wrote' },
];

/** All parts as the service takes them, or none: it keeps the stored parts only if all of them are omitted. */
export interface HealthBody {
  check?: string | null | undefined;
  tier?: number | undefined;
  whenAllFail?: WhenAllFail | undefined;
  weight?: number | null | undefined;
  reverse?: boolean | undefined;
}

/**
 * The part of a record that is sent. A part without an option stays as it is.
 * @param before the stored record, or what a new one has by default
 */
export function healthBody(options: HealthOptions, before: HealthOptions = {}): HealthBody {
  const { check = before.check, tier = before.tier ?? 0, whenAllFail = before.whenAllFail ?? 'ServeAll' } = options;
  if (!hasHealthOptions(options)) return {};
  const { weight = before.weight, reverse = before.reverse } = options;
  return { check: check || null, tier, whenAllFail, weight: weight || null, reverse: reverse ?? false };
}

export function hasHealthOptions({ check, tier, whenAllFail, weight, reverse }: HealthOptions): boolean {
  return [check, tier, whenAllFail, weight, reverse].some((each) => each !== undefined);
}

/** The parts that all of these records have in common, which a new record next to them gets. */
export function sharedHealth(records: readonly HealthOptions[]): HealthOptions {
  const [first, ...more] = records;
  const { check, tier, whenAllFail, weight, reverse } = first ?? {};
  return {
    ...(check !== undefined && more.every((each) => each.check === check) ? { check } : {}),
    ...(tier !== undefined && more.every((each) => each.tier === tier) ? { tier } : {}),
    ...(whenAllFail !== undefined && more.every((each) => each.whenAllFail === whenAllFail) ? { whenAllFail } : {}),
    ...(weight !== undefined && more.every((each) => each.weight === weight) ? { weight } : {}),
    ...(reverse !== undefined && more.every((each) => each.reverse === reverse) ? { reverse } : {}),
  };
}

/** A line about a record whose health changes; null if it stays. */
export function healthLine(
  { name, type, content }: Pick<ListedRecord, 'name' | 'type' | 'content'>,
  before: HealthText & ReverseText,
  body: HealthText & ReverseText,
): string | null {
  if (body.check === undefined) return null;
  const [old, now] = [before, body].map(({ check, tier, whenAllFail, weight, reverse }) =>
    [writeHealth({ check, tier, whenAllFail, weight }), writeReverse({ reverse })].filter(Boolean).join(', '),
  );
  return old === now ? null : `~ ${name} ${type} ${content}: ${old || 'no check'} -> ${now || 'no check'}`;
}
