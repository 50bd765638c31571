// Conditions of both kinds from what a run found out. Pure.
import { setConditions, type Verdict } from '../kube/conditions.ts';
import type { Condition } from './resources/common.ts';

export type Answer = Pick<Verdict, 'status' | 'reason' | 'message'>;

export const yes = (reason: string, message: string): Answer => ({ status: 'True', reason, message });
export const no = (reason: string, message: string): Answer => ({ status: 'False', reason, message });
export const unknown = (reason: string, message: string): Answer => ({ status: 'Unknown', reason, message });

/** What was answered for an earlier step that this one stands on has no answer yet. */
export const NOT_YET = (reason: string) => unknown(reason, 'Not looked at yet: see the condition before.');

/** The conditions with these answers in them, judged for a generation of the spec. */
export function judged(
  conditions: readonly Condition[] | undefined,
  answers: Readonly<Record<string, Answer>>,
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
