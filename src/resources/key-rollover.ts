// spec.keyRollover of a DNSZone: when the zone gets another DNSSEC key, and of which algorithm.
import { z } from 'zod';
import { withRules } from './rules.ts';
import { MOMENT, matchInCel, ROLLOVER_PERIOD } from './syntax.ts';

/** The algorithms of new keys, by their names in BIND's files, with their numbers. */
export const ROLLOVER_ALGORITHMS = { ECDSAP256SHA256: 13, ED25519: 15 } as const;

const DAY_MS = 86_400_000;

/**
 * A roll takes some days: the TTLs of the zone, a person or a CDS scan at the parent, and the TTL of the old DS
 * records, which is a day at most top-level domains. A step that waits is reported after three days. With a shorter
 * period than a month, a zone would be in a roll for most of the time, and a person could not help before the next one
 * is due.
 */
const every = withRules(z.string().max(5), [
  {
    rule: matchInCel('self', ROLLOVER_PERIOD),
    message: 'must be a number of days from 30d to 9999d, such as 365d',
    holds: (self) => new RegExp(ROLLOVER_PERIOD).test(self),
  },
]);

const requestedAt = withRules(z.string().max(40), [
  {
    rule: matchInCel('self', MOMENT),
    message: 'must be a time of RFC 3339, such as 2026-11-28T10:00:00Z',
    holds: (self) => new RegExp(MOMENT).test(self) && !Number.isNaN(Date.parse(self)),
  },
]);

export const keyRollover = withRules(
  z.object({
    every: every.optional().meta({
      description:
        'The age at which a key is replaced, in days from 30d to 9999d, such as 365d. (Default: keys have no such age.)',
    }),
    requestedAt: requestedAt.optional().meta({
      description:
        'A time such as 2026-11-28T10:00:00Z. Keys that were made before it are replaced, once. A time in the future plans ' +
        'the roll. If a person cancels the roll, the operator begins no other one until you set a later time.',
    }),
    algorithm: z
      .enum(['ECDSAP256SHA256', 'ED25519'])
      .optional()
      .meta({
        description:
          'The algorithm of the key. If the zone has a key of another algorithm, the operator begins a roll. (Default: that of ' +
          'the key in use.)',
      }),
  }),
  [
    {
      rule: 'has(self.every) || has(self.requestedAt) || has(self.algorithm)',
      message: 'set every, requestedAt or algorithm, or omit keyRollover',
      holds: (self) => Object.values(self).some((value) => value !== undefined),
    },
  ],
);
export type KeyRollover = z.infer<typeof keyRollover>;

/** The period of `every` in ms. */
export function readPeriodMs(text: string): number {
  return Number.parseInt(text, 10) * DAY_MS;
}
