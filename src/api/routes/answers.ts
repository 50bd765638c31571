// The error answers of a route, for its schema: every route can answer 401 and 500 beside what it names.
import { STATUS } from '../errors.ts';
import { type ErrorCode, errorBody } from '../schemas/error.ts';

export function errorAnswers(...codes: ErrorCode[]): Record<number, typeof errorBody> {
  return Object.fromEntries(
    [...codes, 'unauthorized' as const, 'internal' as const].map((code) => [STATUS[code], errorBody]),
  );
}
