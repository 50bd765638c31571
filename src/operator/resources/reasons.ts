// The reasons of conditions: part of the resources' contract, since programs read them. Whoever writes a condition can only say
// one of these (verdicts.ts), and the operator counts objects by them (metrics.ts). It must not know when each is said.

/** What Ready says while it is not True; so may every condition that Ready sums up. */
export const NOT_READY_REASONS = [
  'Pending',
  'InvalidSpec',
  'NotPermitted',
  'ZoneNotReady',
  'ZoneMissing',
  'ZoneParked',
  'Conflict',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
  'APIError',
  'AwaitingPropagation',
  'Drifted',
  'DeletionBlocked',
  'CredentialsMissing',
  'CredentialsNotReadable',
  'CredentialsRejected',
  'CredentialsWrongTeam',
] as const;

export type NotReadyReason = (typeof NOT_READY_REASONS)[number];

/** What Delegated says while it is not True. Ready does not sum it up: private zones have no parent that points to them. */
export const NOT_DELEGATED_REASONS = [
  'NotChecked',
  'ParentNotAsked',
  'DelegationRequired',
  'DSRequired',
  'DSMismatch',
  'HandshakeClaimRequired',
] as const;

export type NotDelegatedReason = (typeof NOT_DELEGATED_REASONS)[number];

/** Of conditions that are True without a but; `ForeignRecords` is that of DeletionBlocked. */
export type GoodReason = 'Accepted' | 'Programmed' | 'Propagated' | 'Delegated' | 'Ready' | 'ForeignRecords';
