// The contract of a record's type. The service itself decides which numbers it takes.
import { z } from 'zod';
import { GENERIC_TYPE, type GenericType, RECORD_TYPES, TYPES_IN_WORDS } from '#dns/types/record-type.ts';

const error = `must be one of ${TYPES_IN_WORDS}`;

const byNumber = z
  .string()
  // Zod shows this sentence instead of that of the union when the text has no such form.
  .regex(new RegExp(GENERIC_TYPE), { error })
  .meta({
    description: 'A type by its number, with content in the generic form of RFC 3597.',
    examples: ['TYPE65280'],
  }) as unknown as z.ZodType<GenericType, GenericType>;

export const recordType = z.union([z.enum(RECORD_TYPES), byNumber], { error });
