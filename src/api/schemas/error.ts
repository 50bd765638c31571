// The contract of errors: the codes a caller may branch on and the one shape of every error body. It must not know which
// route answers or why; statuses and sentences are the api's.
import { z } from 'zod';

/** Every code of SPEC section 7. A caller that meets another one treats it by its HTTP status. */
export const ERROR_CODES = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'no_zone',
  'not_found',
  'conflict',
  'rate_limited',
  'internal',
  'dns_server',
  'busy',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export const errorBody = z
  .object({
    error: z.enum(ERROR_CODES).meta({ description: 'Stable code; branch on this.' }),
    message: z.string().meta({ description: 'What is wrong and how to mend it, for people.' }),
  })
  .meta({
    id: 'Error',
    description: 'The body of every answer that is not a success.',
    examples: [{ error: 'not_found', message: 'No zone encloses www.example.org.' }],
  });

export type ErrorBody = z.infer<typeof errorBody>;
