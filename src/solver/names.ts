// The names that the solver is known by: to kube-apiserver, to cert-manager, and on the objects it makes.

/** A group of its own: an APIService of the CRDs' group would take their version over. */
export const SOLVER_GROUP = 'acme.zonestead.dev';
/** Hard-wired in cert-manager's client. */
export const SOLVER_VERSION = 'v1alpha1';
/** `solverName` in an Issuer, and the resource that RBAC is about. */
export const SOLVER_NAME = 'zonestead';
/** cert-manager's own group, of which ChallengePayload is a kind. */
export const PAYLOAD_GROUP = 'webhook.acme.cert-manager.io';
export const PAYLOAD_KIND = 'ChallengePayload';

export const SOLVER_PATH = `/apis/${SOLVER_GROUP}/${SOLVER_VERSION}`;

/** On every DNSRecord of the solver: nothing without it is ever touched. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const SOLVER_MANAGER = 'zonestead-solver';
/** Hash of dnsName and key: CleanUp finds its record by it, wherever a CNAME points meanwhile. */
export const CHALLENGE_LABEL = 'acme.zonestead.dev/challenge';
export const DNS_NAME_ANNOTATION = 'acme.zonestead.dev/dns-name';
/** `namespace/name` of the Challenge, where one was found. */
export const CHALLENGE_ANNOTATION = 'acme.zonestead.dev/challenge';
export const CHALLENGE_UID_ANNOTATION = 'acme.zonestead.dev/challenge-uid';
/** RFC 3339: when the record goes, unless its Challenge is still there. */
export const EXPIRES_ANNOTATION = 'acme.zonestead.dev/expires';
/** Who reports in Events. */
export const REPORTER = 'zonestead.dev/solver';
