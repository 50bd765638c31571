// Builds the conditions of both kinds from the results of a run, and the Event for a change of Ready. Pure.
import type { EventToRecord } from '#kube/events/events.ts';
import { type Condition, findCondition, setConditions } from '#kube/objects/conditions.ts';
import { UNDECIDED_SINCE } from '#resources/common.ts';
import type {
  EventReason,
  GoodReason,
  KeyRollProblem,
  MissingTargetReason,
  NotDelegatedReason,
  NotReadyReason,
  UnhealthyReason,
} from '#resources/reasons.ts';

interface Said<Status extends 'True' | 'False' | 'Unknown', Reason> {
  status: Status;
  reason: Reason;
  message: string;
}

/** A result that keeps Ready from being True. */
export type NotReady = Said<'False' | 'Unknown', NotReadyReason>;
/** A result that Ready summarizes. True with a reason of a failure means that it was True before the failure. */
export type ConditionAnswer = Said<'True', GoodReason | NotReadyReason> | NotReady;
/** The result of the condition DeletionsHeld. */
export type HeldAnswer = Said<'True', 'ManyDeleted' | 'EtcdRestored'> | Said<'False', 'NotHeld'>;
/** The result of the condition EtcdRestored. */
export type RestoredAnswer = Said<'True', 'OlderObjects'> | Said<'False', 'NotRestored'>;
/** The result of the condition Degraded. */
export type DegradedAnswer =
  | Said<'True', 'NameServerUnreachable' | 'NameServerCordoned'>
  | Said<'False', 'NotDegraded'>;
/** The result of the condition TargetsExist. */
export type TargetsAnswer = Said<'True', 'TargetsExist'> | Said<'False', MissingTargetReason>;
/** The result of the condition KeysRolling. */
export type KeysRollingAnswer =
  | Said<'True', 'RollUnderWay' | 'RollWaits'>
  | Said<'False', 'NotRolling' | Exclude<KeyRollProblem, 'RollWaits'>>;
/** The result of the condition Healthy. Ready does not include it. */
export type HealthyAnswer =
  | Said<'True', 'AllHealthy'>
  | Said<'False', Exclude<UnhealthyReason, 'NotProbed'>>
  | Said<'Unknown', 'NotProbed'>;
/** The result of the condition Delegated. */
export type DelegatedAnswer = Said<'True', 'Delegated'> | Said<'False' | 'Unknown', NotDelegatedReason>;

/** The result of a condition of any type. */
export type AnyAnswer =
  | ConditionAnswer
  | DelegatedAnswer
  | HeldAnswer
  | DegradedAnswer
  | RestoredAnswer
  | TargetsAnswer
  | KeysRollingAnswer
  | HealthyAnswer;

type Listed = NotReadyReason | NotDelegatedReason;
export const yes = <R extends GoodReason | NotReadyReason>(reason: R, message: string): Said<'True', R> => ({
  status: 'True',
  reason,
  message,
});
export const no = <R extends Listed>(reason: R, message: string): Said<'False', R> => ({
  status: 'False',
  reason,
  message,
});
export const unknown = <R extends Listed>(reason: R, message: string): Said<'Unknown', R> => ({
  status: 'Unknown',
  reason,
  message,
});

export const healthy = (message: string): HealthyAnswer => ({ status: 'True', reason: 'AllHealthy', message });
export const unhealthy = (reason: Exclude<UnhealthyReason, 'NotProbed'>, message: string): HealthyAnswer => ({
  status: 'False',
  reason,
  message,
});
export const unknownHealth = (message: string): HealthyAnswer => ({ status: 'Unknown', reason: 'NotProbed', message });

/** The result of a step that was not evaluated, because an earlier step failed. */
export const notEvaluated = (reason: NotReadyReason) =>
  unknown(reason, 'The operator has not checked this yet. See the condition Programmed for the cause.');

/**
 * Returns the conditions with these results, for a generation of the spec.
 * @param answers null: the object has no such condition any more
 */
export function conditionsWith(
  conditions: readonly Condition[] | undefined,
  answers: Readonly<Record<string, AnyAnswer | null>>,
  generation: number,
  now: Date,
): Condition[] {
  const verdicts = Object.entries(answers).flatMap(([type, answer]) =>
    answer === null ? [] : { type, ...answer, observedGeneration: generation },
  );
  const keptConditions = (conditions ?? []).filter(({ type }) => answers[type] !== null);
  return [...setConditions(keptConditions, verdicts, now)];
}

/**
 * Conditions that are undecided since the object was created say so, instead of the time that the schema of the CRD
 * has.
 */
export function sinceCreation(conditions: readonly Condition[], createdTime: string | undefined): Condition[] {
  return conditions.map((condition) =>
    condition.lastTransitionTime === UNDECIDED_SINCE && createdTime !== undefined
      ? { ...condition, lastTransitionTime: createdTime }
      : condition,
  );
}

/** Returns the result for Ready: the first result that is not True, or `whenAll`. */
export function readyFrom(answers: readonly ConditionAnswer[], whenAll: ConditionAnswer): ConditionAnswer {
  const open = answers.find((answer) => answer.status !== 'True');
  return open ? no(open.reason, open.message) : whenAll;
}

/** Whether the condition Programmed reports this drift already, so that another Event would repeat it. */
export function isDriftReported(conditions: readonly Condition[] | undefined, drift: string): boolean {
  const programmedCondition = findCondition(conditions, 'Programmed');
  return programmedCondition?.reason === 'Drifted' && programmedCondition.message.includes(drift);
}

/** Reasons that end without action by a user. A condition is enough to report them; they cause no Event. */
const WITHOUT_EVENT: ReadonlySet<string> = new Set<NotReadyReason>([
  'AwaitingPropagation',
  'TargetUnresolved',
  'ZoneNotReady',
  'ZoneParked',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
  'APIError',
]);

/**
 * The Event for a change of Ready, or for a new reason that a user must act on, also for an object that was never
 * Ready.
 * @param before the previous conditions
 */
export function readyEvent(
  before: readonly Condition[] | undefined,
  { status, reason, message }: Condition,
): Omit<EventToRecord<EventReason>, 'action'> | null {
  const was = findCondition(before, 'Ready');
  const [wasReady, isReady] = [was?.status === 'True', status === 'True'];
  const isNews = wasReady || isReady ? isReady !== wasReady : !WITHOUT_EVENT.has(reason) && was?.reason !== reason;
  if (!isNews) return null;
  return { type: isReady ? 'Normal' : 'Warning', reason: reason as EventReason, note: message };
}
