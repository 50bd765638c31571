/** The delegation of a zone, as a resolver sees it at the parent. Types only. */

/**
 * `secure`: the parent has one of our DS records. `insecure`: the name exists without any of ours. `absent`: the name does
 * not exist. `unknown`: no answer.
 */
export type DelegationSeen = 'secure' | 'insecure' | 'absent' | 'unknown';
