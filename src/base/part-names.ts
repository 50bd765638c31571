// The form of the names that administrators give to the parts of an installation. The contract, the service, the
// settings and the chart check names, and must accept the same ones.

/** A part of an owner's text: between `k8s:` and the first slash. */
export const CLUSTER_NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
export const CLUSTER_NAME_RULE =
  'must be the name of a cluster: 1 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at both ends';

/** The name of a host, or a part of it. */
export const NODE_NAME = CLUSTER_NAME;
export const NODE_NAME_RULE = 'must be a name like "ns1-eu": lower-case letters, digits, hyphens and dots';

/** The name of a health check. */
export const CHECK_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const CHECK_NAME_RULE =
  'must be the name of a check: 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends';
