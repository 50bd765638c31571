// Counts calls to another service by their answers, in the same way for every client.
import type { Metrics } from './metrics.ts';

/** Counts one attempt; `status` is 0 when there was no answer. */
type CountCall = (method: string, status: number, seconds: number) => void;

interface CalledService {
  /** The beginning of the metrics' names: `<prefix>_requests_total`, `<prefix>_request_duration_seconds`. */
  readonly prefix: string;
  /** The service in the help of the metrics: "the API server". */
  readonly title: string;
  /** Answers with a series of their own; others count as `other`, none as `none`. */
  readonly codes: readonly string[];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Registers the two metrics, every series at zero. To be called once per registry. */
export function countCalls(metrics: Metrics, { prefix, title, codes }: CalledService): CountCall {
  const knownCodes = new Set([...codes, 'none', 'other']);
  const total = metrics.counter({
    name: `${prefix}_requests_total`,
    help: `Calls to ${title}, by the status of the answer; none without an answer, other for a rare status.`,
    labels: ['method', 'code'],
  });
  const seconds = metrics.histogram({
    name: `${prefix}_request_duration_seconds`,
    help: `Seconds that one call to ${title} takes.`,
    labels: ['method'],
  });
  for (const method of METHODS) {
    seconds.zero({ method });
    for (const code of knownCodes) total.inc({ method, code }, 0);
  }
  return (method, status, duration) => {
    const code = status === 0 ? 'none' : String(status);
    total.inc({ method, code: knownCodes.has(code) ? code : 'other' });
    seconds.observe({ method }, duration);
  };
}
