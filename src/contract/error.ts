// The contract of errors: the codes that a caller may branch on, and the one shape of every error body.
import { z } from 'zod';
import { record } from './record.ts';
import { etag } from './shared.ts';
import { zone } from './zone.ts';

/** The codes (contract E2). A caller that receives an unknown code must decide by the HTTP status (contract E3). */
export const ERROR_CODES = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'no_zone',
  'not_found',
  'conflict',
  'precondition_failed',
  'rate_limited',
  'internal',
  'dns_server',
  'busy',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The codes with which a change of records can be refused. */
export const RECORD_CHANGE_ERRORS = [
  'bad_request',
  'forbidden',
  'no_zone',
  'conflict',
  'precondition_failed',
  'rate_limited',
  'busy',
] as const;

export const errorBody = z
  .object({
    error: z.enum(ERROR_CODES).meta({ description: 'The stable code of the error. Programs should branch on it.' }),
    message: z.string().meta({
      description: 'A sentence for people that says what is wrong and how to correct it. Its text may change.',
    }),
    field: z.string().optional().meta({
      description: 'The path of the field at fault, for example `content` or `changes.3.content`.',
    }),
    records: z.array(z.string()).optional().meta({
      description: 'The ids of the records that conflict with the request.',
    }),
    owner: z
      .string()
      .optional()
      .meta({
        description: 'The owner at the service that has the records which conflict with a set of `records:apply`.',
        examples: ['k8s:prod/default/www'],
      }),
    value: z
      .string()
      .optional()
      .meta({
        description:
          'The value of a set of `records:apply` that exists already. It belongs to `owner`, or has no owner if `owner` is absent.',
        examples: ['192.0.2.10'],
      }),
    shared: z.boolean().optional().meta({
      description: 'Whether `owner` shares `value` with owners that share as well. Present if both are.',
    }),
    etag: etag.optional().meta({ description: 'The ETag of the present state, if a condition did not match it.' }),
    current: z
      .union([record, zone])
      .optional()
      .meta({ description: 'The record or the zone as it is now, if a condition did not match it.' }),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error answer.',
    examples: [{ error: 'not_found', message: 'No zone encloses www.example.org.' }],
  });

export type ErrorBody = z.infer<typeof errorBody>;
