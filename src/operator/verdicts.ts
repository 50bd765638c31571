// Conditions of both kinds from what a run found out. Pure.
import { setConditions } from '../kube/conditions.ts';
import type { Condition } from './resources/common.ts';
import type { GoodReason, NotDelegatedReason, NotReadyReason } from './resources/reasons.ts';

interface Said<Status extends 'True' | 'False' | 'Unknown', Reason> {
  status: Status;
  reason: Reason;
  message: string;
}

/** An answer that keeps Ready from being True. */
export type Open = Said<'False' | 'Unknown', NotReadyReason>;
/** What Ready sums up. True with a reason of trouble: it was so before, and still is as far as anybody knows. */
export type Answer = Said<'True', GoodReason | NotReadyReason> | Open;
/** Of the condition Delegated. */
export type DelegatedAnswer = Said<'True', 'Delegated'> | Said<'False' | 'Unknown', NotDelegatedReason>;

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

/** What was answered for an earlier step that this one stands on has no answer yet. */
export const NOT_YET = (reason: NotReadyReason) => unknown(reason, 'Not looked at yet: see the condition before.');

/** The conditions with these answers in them, judged for a generation of the spec. */
export function judged(
  conditions: readonly Condition[] | undefined,
  answers: Readonly<Record<string, Answer | DelegatedAnswer>>,
  generation: number,
  now: Date,
): Condition[] {
  const verdicts = Object.entries(answers).map(([type, answer]) => ({
    type,
    ...answer,
    observedGeneration: generation,
  }));
  return [...setConditions(conditions ?? [], verdicts, now)];
}

/** The first answer that is not True, as what Ready says; `whenAll` otherwise. */
export function summed(answers: readonly Answer[], whenAll: Answer): Answer {
  const open = answers.find((answer) => answer.status !== 'True');
  return open ? no(open.reason, open.message) : whenAll;
}
