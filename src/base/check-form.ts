// The form of a health check, which the REST API, the resources, the console and the checker share. Pure.
import { CHECK_NAME } from './part-names.ts';

/** The types that the service probes. */
export const PROBE_TYPES = ['https', 'http', 'tcp'] as const;
/** All types: a monitor sends the state of a `signal`, and nothing is probed. */
export const CHECK_TYPES = [...PROBE_TYPES, 'signal'] as const;

/** The ports of the types that have one by default. */
export const USUAL_PORTS = { https: 443, http: 80 } as const;

/** The path of a request. */
export const CHECK_PATH = /^\/[\x21-\x7e]{0,499}$/;
export const CHECK_PATH_RULE = 'must begin with "/", and have at most 500 printable ASCII characters without spaces';
export const MAX_CHECK_PATH = 500;

/** The host name that a request is for. */
export const CHECK_HOST = /^[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?)*$/;
export const CHECK_HOST_RULE = 'must be a host name of at most 253 characters, without a port';
export const MAX_CHECK_HOST = 253;

/** The statuses, and the classes of statuses, of a healthy answer. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Those that count if a check names none. */
export const EXPECTED_STATUSES = ['2xx', '3xx'] as const;
export const MAX_EXPECTED = 20;
export const EXPECT_RULE = 'must be a list of 1 to 20 statuses such as 200, or classes such as "2xx"';

/** The fields with a range: the least value, the most, and the one that counts if the field is absent. */
export const CHECK_RANGES = {
  /** In seconds, as all but `failures` and `successes`. */
  interval: { least: 1, most: 300, standard: 10 },
  timeout: { least: 0.1, most: 10, standard: 2 },
  retryInterval: { least: 0.5, most: 60, standard: 0.5 },
  failures: { least: 1, most: 10, standard: 3 },
  successes: { least: 1, most: 10, standard: 2 },
} as const;

/** The states of an address, as the probes find it. */
export const ADDRESS_STATES = ['Unknown', 'Healthy', 'Unhealthy'] as const;
export type AddressState = (typeof ADDRESS_STATES)[number];
/** The states that a pin or a signal can have. */
export const DECIDED_STATES = ['Healthy', 'Unhealthy'] as const;

/** The seconds that a signal lasts without another one: the least, the most, and those of a signal that says nothing. */
export const SIGNAL_TTL = { least: 10, most: 86_400, standard: 300 } as const;

/** Names of checks in the rights of a key: `*` stands for any run of characters. */
export const SIGNAL_PATTERN = /^[a-z0-9*-]{1,63}$/;
export const SIGNAL_PATTERN_RULE =
  'must be the name of a check, or a pattern with "*" for any run of characters: at most 63 lower-case letters, digits, "-" and "*"';

/** The most changes of states in an answer about a check. */
export const MAX_STATE_CHANGES = 100;

/** An entry of `expect` that was written as text: a status is a number, and a class stays a text. */
export function readStatus(text: string): number | string {
  const word = text.trim();
  return /^[0-9]{3}$/.test(word) ? Number(word) : word;
}

/** Whether two definitions with all their defaults are equal, in any order of their fields. */
export function isSameDefinition(one: object, other: object): boolean {
  const write = (definition: object) => JSON.stringify(Object.entries(definition).sort());
  return write(one) === write(other);
}

/**
 * The names of checks that an operator makes for a DNSRecord. No other object may name them: a namespace must not learn
 * anything about the checks of another one.
 */
export const OBJECT_CHECKS = 'k8s-';

/** Whether a DNSRecord may name this check. */
export function isSharedCheck(name: string): boolean {
  return CHECK_NAME.test(name) && !name.startsWith(OBJECT_CHECKS);
}
