// The definition of a health check, as the service stores it: with all defaults.

export interface CheckDefinition {
  type: 'https' | 'http' | 'tcp';
  /** Absent: 443 or 80. */
  port?: number | undefined;
  /** Absent: `/`. */
  path?: string | undefined;
  /** The host name that the request is for. Absent: the address. */
  host?: string | undefined;
  /** Statuses, and classes such as `2xx`. Absent: 2xx and 3xx. */
  expect?: (number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx')[] | undefined;
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

const PORTS = { https: 443, http: 80 } as const;

/** The port that a definition means. */
export function portOf({ type, port }: Pick<CheckDefinition, 'type' | 'port'>): number {
  return port ?? (type === 'tcp' ? 0 : PORTS[type]);
}

/** Whether a status is that of a healthy answer. */
export function isExpected({ expect = ['2xx', '3xx'] }: Pick<CheckDefinition, 'expect'>, status: number): boolean {
  return expect.some((each) => each === status || each === `${Math.floor(status / 100)}xx`);
}

export function isSameDefinition(one: CheckDefinition, other: CheckDefinition): boolean {
  const text = (definition: CheckDefinition) => JSON.stringify(Object.entries(definition).sort());
  return text(one) === text(other);
}
