// A finding as data: its subject and level, a sentence about the state, and the next step. Checks make findings of
// facts, rank.ts orders them, and cli/findings.ts prints them for every command. Pure.

/** The subjects of findings. A part that others need comes before them, so this is the order of repairs. */
export const SUBJECTS = [
  'machine',
  'service',
  'solver',
  'issuer',
  'record',
  'zone',
  'grant',
  'name-server',
  'node',
  'secondary',
  'delegation',
  'key',
  'target',
] as const;

export type Subject = (typeof SUBJECTS)[number];

export interface NextStep {
  readonly words: string;
  /** The commands to type, for people to choose from if there are several. */
  readonly commands?: readonly string[];
}

export interface Finding {
  readonly subject: Subject;
  /** `warn`: it works, but something needs attention. */
  readonly level: 'ok' | 'warn' | 'fail';
  /** A sentence that names the subject. */
  readonly what: string;
  /** Whether another part causes it, so that its own next step helps only if no cause is found. */
  readonly isEffect?: boolean;
  /** Absent for `ok`. */
  readonly nextStep?: NextStep;
}

export const ok = (subject: Subject, what: string): Finding => ({ subject, level: 'ok', what });
export const warn = (subject: Subject, what: string, next: string | NextStep): Finding => ({
  ...{ subject, level: 'warn', what },
  nextStep: toStep(next),
});
export const fail = (subject: Subject, what: string, next: string | NextStep): Finding => ({
  ...{ subject, level: 'fail', what },
  nextStep: toStep(next),
});

const toStep = (next: string | NextStep): NextStep => (typeof next === 'string' ? { words: next } : next);
