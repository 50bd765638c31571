// Counts calls to another service by their answers, for every client alike. It must not know what is called.
import type { Metrics } from './metrics.ts';

/** Counts one attempt; `status` is 0 when there was no answer. */
export type CountCall = (method: string, status: number, seconds: number) => void;

export interface CalledService {
  /** What the metrics' names begin with: `<prefix>_requests_total`, `<prefix>_request_duration_seconds`. */
  readonly prefix: string;
  /** In their help: "the API server". */
  readonly title: string;
  /** Answers with a series of their own; others count as `other`, none as `none`. */
  readonly codes: readonly string[];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Registers the two metrics, every series at zero; once a registry. */
export function countCalls(metrics: Metrics, { prefix, title, codes }: CalledService): CountCall {
  const known = new Set([...codes, 'none', 'other']);
  const total = metrics.counter({
    name: `${prefix}_requests_total`,
    help: `Calls to ${title}, by answer`,
    labels: ['method', 'code'],
  });
  const seconds = metrics.histogram({
    name: `${prefix}_request_duration_seconds`,
    help: `Time of one call to ${title}`,
    labels: ['method'],
  });
  for (const method of METHODS) {
    seconds.zero({ method });
    for (const code of known) total.inc({ method, code }, 0);
  }
  return (method, status, duration) => {
    const code = status === 0 ? 'none' : String(status);
    total.inc({ method, code: known.has(code) ? code : 'other' });
    seconds.observe({ method }, duration);
  };
}
