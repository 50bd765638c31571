// The names of the solver in kube-apiserver, in cert-manager, and on the objects that it creates.

/** A group of its own: an APIService of the CRDs' group would replace their version. */
export const SOLVER_GROUP = 'acme.zonestead.dev';
/** Hard-wired in cert-manager's client. */
export const SOLVER_VERSION = 'v1alpha1';
/** `solverName` in an Issuer, and the name of the resource in RBAC. */
export const SOLVER_NAME = 'zonestead';
/** cert-manager's own group, which contains the kind ChallengePayload. */
export const PAYLOAD_GROUP = 'webhook.acme.cert-manager.io';
export const PAYLOAD_KIND = 'ChallengePayload';

export const SOLVER_PATH = `/apis/${SOLVER_GROUP}/${SOLVER_VERSION}`;

export { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';

/** Hash of dnsName and key. CleanUp finds its record by this label, even if a CNAME has changed since. */
export const CHALLENGE_HASH_LABEL = 'acme.zonestead.dev/challenge';
export const DNS_NAME_ANNOTATION = 'acme.zonestead.dev/dns-name';
/** `namespace/name` of the Challenge, if one was found. */
export const CHALLENGE_ANNOTATION = 'acme.zonestead.dev/challenge';
export const CHALLENGE_UID_ANNOTATION = 'acme.zonestead.dev/challenge-uid';
/** RFC 3339: the time at which the sweep deletes the record, unless its Challenge still exists. */
export const EXPIRES_ANNOTATION = 'acme.zonestead.dev/expires';
/** The reporting controller of the solver's Events. */
export const SOLVER_REPORTER = 'zonestead.dev/solver';
