// The reasons of conditions and of Events. They are part of the API, because programs read them. The types of
// conditions (operator/run/conditions.ts) and of the event recorder permit no other reason, and the operator counts
// objects by reason (operator/run/metrics.ts).

/** The reasons of Ready, and of the conditions that Ready summarizes, while they are not True. */
export const NOT_READY_REASONS = [
  'Pending',
  'InvalidSpec',
  'NotPermitted',
  'ZoneNotReady',
  'ZoneMissing',
  'ZoneParked',
  'ClusterDrained',
  'ClusterNameTaken',
  'CheckMissing',
  'Conflict',
  'OlderThanService',
  'SecondaryNotOffered',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
  'APIError',
  'AwaitingPropagation',
  'TargetUnresolved',
  'Drifted',
  'DeletionBlocked',
  'CredentialsMissing',
  'CredentialsNotReadable',
  'CredentialsRejected',
  'CredentialsWrongTeam',
] as const;

export type NotReadyReason = (typeof NOT_READY_REASONS)[number];

/**
 * The reasons of Delegated while it is not True. NotChecked: the zone does not exist at the service yet, and the
 * operator queries the parent afterwards. NoResolver: the operator has no resolver to find the parent with. Ready does
 * not include Delegated, because private zones have no parent.
 */
export const NOT_DELEGATED_REASONS = [
  'NotChecked',
  'NoResolver',
  'ParentNotAsked',
  'DelegationRequired',
  'DSRequired',
  'DSMismatch',
  'HandshakeClaimRequired',
] as const;

export type NotDelegatedReason = (typeof NOT_DELEGATED_REASONS)[number];

/** The reasons of Healthy while it is not True. Ready does not include Healthy. */
export const UNHEALTHY_REASONS = ['NotProbed', 'SomeUnhealthy', 'NoneHealthy'] as const;

export type UnhealthyReason = (typeof UNHEALTHY_REASONS)[number];

/**
 * The reasons of TargetsExist while it is False: a name that records point to is missing, or its whole domain. Ready
 * does not include TargetsExist, because the records are served as they are.
 */
export const MISSING_TARGET_REASONS = ['TargetMissing', 'TargetDomainMissing'] as const;

export type MissingTargetReason = (typeof MISSING_TARGET_REASONS)[number];

/**
 * The reasons of KeysRolling that need a person. Ready does not include KeysRolling, because the zone is valid
 * in every step of a roll.
 */
export const KEY_ROLL_PROBLEMS = ['RollWaits', 'RollCancelled', 'RollRefused'] as const;

export type KeyRollProblem = (typeof KEY_ROLL_PROBLEMS)[number];

/**
 * The reasons of conditions that are True; `ForeignRecords`, `ManyDeleted`, `CRDDeleted` and `EtcdRestored` are reasons
 * of DeletionBlocked.
 */
export type GoodReason =
  | 'Accepted'
  | 'Programmed'
  | 'Propagated'
  | 'Delegated'
  | 'Ready'
  | 'ForeignRecords'
  | 'ManyDeleted'
  | 'CRDDeleted'
  | 'EtcdRestored';

/** The reasons of Events that are about an action or about Ready. Any other Event has the reason of a condition. */
export const EVENT_REASONS = [
  'Ready',
  'Created',
  'KeyChanged',
  'Adopted',
  'Updated',
  'Drift',
  'ZoneMissing',
  'Withdrawn',
  'DeletionsHeld',
  'EtcdRestored',
  'WildcardShadowed',
  'MemberUnhealthy',
  'MemberHealthy',
  'KeyRollBegun',
  'KeyRollStep',
  'KeyRollWaits',
  'KeyRollFinished',
  'KeyRollCancelled',
  'KeyRollRefused',
] as const;

export type EventReason = (typeof EVENT_REASONS)[number] | NotReadyReason | GoodReason;
