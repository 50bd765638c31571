// Parts of the schemas of routes: the error answers and the permission that a key needs.

import { z } from 'zod';
import { type ErrorCode, errorBody } from '#contract/error.ts';
import { STATUS } from '../error-codes.ts';

/** Every route can answer 401, 500 and 503 in addition to these codes. */
export function errorAnswers(...codes: ErrorCode[]): Record<number, typeof errorBody> {
  return Object.fromEntries(
    [...codes, 'unauthorized' as const, 'internal' as const, 'busy' as const].map((code) => [STATUS[code], errorBody]),
  );
}

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

/** The answer to a GET whose client has the present state already. */
export const notModified = { 304: z.null() };

/**
 * The permission that a key needs for an operation. `member` and `owner` refer to the team in the path; they and `person`
 * need a personal key.
 */
export type Permission =
  | 'manageZones:write'
  | 'records:read'
  | 'records:write'
  | 'clusters:write'
  | 'person'
  | 'member'
  | 'owner';

/** The security requirement of an operation. OpenAPI 3.1 lets it list the roles that the caller needs. */
export function needs(permission: Permission): { key: Permission[] }[] {
  return [{ key: [permission] }];
}
