// Sends the sets of the dispatcher: the sets of many objects of one zone as one request, in which each succeeds or
// fails alone.
import { applyRecords } from '#contract/operations/owners.ts';
import type { ApplyResult, RecordSet } from '#contract/owners.ts';
import { isChallengeRecord } from '#dns/names/certified.ts';
import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import type { Rate } from './rate.ts';
import type { PacedBucket } from './waiting.ts';

/** One set of records:apply. Applied again, it changes nothing. */
export type SetChange = RecordSet;

/** The window in which the service counts the set, which it decides by the name and type in the request. */
export function bucketOfSet(set: SetChange): PacedBucket {
  return isChallengeRecord(set) ? 'challenges' : 'records';
}

export interface PacedChange {
  readonly set: SetChange;
  /** For the logs and the history of the service; each set of a request keeps its own. */
  readonly requestId?: string | undefined;
}

interface WriteOptions {
  readonly signal: AbortSignal;
  /** Null: the key has no limit. Undefined: the request was not counted. */
  readonly onRate: (rate: Rate | null | undefined) => void;
}

/** A set that was applied: the records of the owner, whether any changed, and what others had changed. */
export type AppliedSet = Extract<ApplyResult, { status: 200 }>;

export interface RecordWriter {
  /** One result per set, in their order. @throws {ApiError} {ApiUnavailable} when the request as a whole failed */
  apply(zone: string, changes: readonly PacedChange[], options: WriteOptions): Promise<(AppliedSet | ApiError)[]>;
}

export function createRecordWriter({ call }: Pick<Client, 'call'>): RecordWriter {
  return {
    apply: async (id, changes, options) => {
      const sets = changes.map(({ set, requestId }) => (requestId === undefined ? set : { ...set, requestId }));
      const requestIds = changes.flatMap(({ requestId }) => requestId ?? []);
      const { results } = await call(
        applyRecords,
        { params: { id }, body: { sets } },
        { ...options, requestId: requestIds[0], requestIds },
      );
      return changes.map((_, index) => toAppliedSet(results[index]));
    },
  };
}

function toAppliedSet(result: ApplyResult | undefined): AppliedSet | ApiError {
  if (result === undefined) return failed(502, 'unknown', 'The answer to a request lacks the result of a set');
  return 'error' in result ? failed(result.status, result.error, result.message, result) : result;
}

type Details = Pick<ConstructorParameters<typeof ApiError>[0], 'field' | 'records' | 'owner' | 'value' | 'shared'>;

function failed(
  status: number,
  code: string,
  message: string,
  { field, records, owner, value, shared }: Details = {},
): ApiError {
  const details = { field, records, owner, value, shared };
  return new ApiError({ status, code, message, retryAfterMs: null, requestId: null, ...details });
}
