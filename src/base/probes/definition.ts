// The definition of a health check, as the service stores it: with all defaults.
import { EXPECTED_STATUSES, type PROBE_TYPES, type STATUS_CLASSES, USUAL_PORTS } from '../check-form.ts';

/** A monitor sends the state, and nothing is probed. */
export interface SignalDefinition {
  type: 'signal';
}

export type CheckDefinition = ProbeDefinition | SignalDefinition;

export interface ProbeDefinition {
  type: (typeof PROBE_TYPES)[number];
  /** Absent: 443 or 80. */
  port?: number | undefined;
  /** Absent: `/`. */
  path?: string | undefined;
  /** The host name that the request is for. Absent: the address. */
  host?: string | undefined;
  /** Statuses, and classes such as `2xx`. Absent: 2xx and 3xx. */
  expect?: (number | (typeof STATUS_CLASSES)[number])[] | undefined;
  /** Between two probes, in seconds. */
  interval: number;
  /** In seconds. */
  timeout: number;
  /** So many failures in a row make an address unhealthy. */
  failures: number;
  /** Until the next probe after a failure, in seconds. */
  retryInterval: number;
  /** So many successes in a row make it healthy again. */
  successes: number;
  /** Absent: `verify`. */
  tls?: 'verify' | 'none' | undefined;
}

/** The port that a definition means. */
export function portOf({ type, port }: Pick<ProbeDefinition, 'type' | 'port'>): number {
  return port ?? (type === 'tcp' ? 0 : USUAL_PORTS[type]);
}

/** Whether a status is that of a healthy answer. */
export function isExpected(
  { expect = [...EXPECTED_STATUSES] }: Pick<ProbeDefinition, 'expect'>,
  status: number,
): boolean {
  return expect.some((each) => each === status || each === `${Math.floor(status / 100)}xx`);
}
