// Sends the record changes of the dispatcher: a single one on its own route, several as one batch whose changes succeed
// or fail independently.
import type { BatchResult, Client, DnsRecord, RecordChange } from '../client.ts';
import { ApiError } from '../errors.ts';
import type { Rate } from './rate.ts';

export interface Change {
  readonly change: RecordChange;
  /** For the logs and the history of the service; each change of a batch keeps its own. */
  readonly requestId?: string | undefined;
}

interface WriteOptions {
  readonly signal: AbortSignal;
  readonly onRate: (rate: Rate | null) => void;
}

/** The result of one change: the record after it (null after a deletion), or the error. */
export type Written = DnsRecord | null | ApiError;

export interface RecordWriter {
  /** @throws {ApiError} {ApiUnavailable} */
  one(zone: string, change: Change, options: WriteOptions): Promise<DnsRecord | null>;
  /** One result per change, in their order. @throws {ApiError} {ApiUnavailable} when the request as a whole failed */
  many(zone: string, changes: readonly Change[], options: WriteOptions): Promise<Written[]>;
}

export function createRecordWriter({ records }: Pick<Client, 'records'>): RecordWriter {
  return {
    one: async (zone, { change, requestId }, options) => {
      const call = { ...options, requestId, ...('managedBy' in change ? { managedBy: change.managedBy } : {}) };
      if (change.action === 'create')
        return records.create(zone, change.record, { ...call, idempotencyKey: change.idempotencyKey });
      if (change.action === 'update') return records.update(zone, change.id, change.record, call);
      await records.delete(zone, change.id, call);
      return null;
    },
    many: async (zone, changes, options) => {
      const body = {
        atomic: false,
        changes: changes.map(({ change, requestId }) => (requestId === undefined ? change : { ...change, requestId })),
      };
      const requestIds = changes.flatMap(({ requestId }) => requestId ?? []);
      const results = await records.batch(zone, body, { ...options, requestId: requestIds[0], requestIds });
      return changes.map((_, index) => writtenOf(results[index]));
    },
  };
}

function writtenOf(result: BatchResult | undefined): Written {
  if (result === undefined) return failed(502, 'unknown', 'The answer to a batch lacks the result of a change');
  if ('record' in result) return result.record;
  return 'error' in result ? failed(result.status, result.error, result.message, result.records) : null;
}

function failed(status: number, code: string, message: string, records: readonly string[] = []): ApiError {
  return new ApiError({ status, code, message, retryAfterMs: null, requestId: null, records });
}
