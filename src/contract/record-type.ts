// The contract of a record's type. The service itself decides which numbers it takes.
import { z } from 'zod';
import { GENERIC_TYPE, RECORD_TYPES, type RecordType, typeRule } from '#dns/types/record-type.ts';

const NAMED = RECORD_TYPES.join('|');

/**
 * One text with a pattern, not a choice between a list of names and a pattern: generators of clients make a type of its
 * own for each choice, and a caller of a Go client could not write "A" then.
 */
export const recordType = z
  .string({ error: typeRule(undefined) })
  .toUpperCase()
  .regex(new RegExp(`^(?:${NAMED})$|${GENERIC_TYPE}`), { error: ({ input }) => typeRule(input) })
  .meta({
    description: 'The name of a type, in upper or lower case, or its number in the form of RFC 3597.',
    examples: ['A', 'TYPE65280'],
  }) as unknown as z.ZodType<RecordType, RecordType>;
