// The result of a check: one line, and a line that says how to fix the problem.

export interface DoctorFinding {
  /** `warn`: certificates can still be issued, but something needs attention. */
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** How to fix the problem; absent for `ok`. */
  readonly fix?: string;
}

export const ok = (what: string): DoctorFinding => ({ verdict: 'ok', what });
export const warn = (what: string, fix: string): DoctorFinding => ({ verdict: 'warn', what, fix });
export const fail = (what: string, fix: string): DoctorFinding => ({ verdict: 'fail', what, fix });

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** The printed lines: the result, and below it how to fix the problem. */
export function findingLines({ verdict, what, fix }: DoctorFinding): string[] {
  return [`${MARKS[verdict]}  ${what}`, ...(fix === undefined ? [] : [`      → ${fix}`])];
}
