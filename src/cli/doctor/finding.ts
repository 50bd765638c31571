// What a check found: one line, and how to mend it. It must not know what is checked.

export interface Finding {
  /** `warn`: it may work, but not as it should. */
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** Set unless all is well. */
  readonly mend?: string;
}

export const ok = (what: string): Finding => ({ verdict: 'ok', what });
export const warn = (what: string, mend: string): Finding => ({ verdict: 'warn', what, mend });
export const fail = (what: string, mend: string): Finding => ({ verdict: 'fail', what, mend });

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** As printed: the finding, and below it how to mend it. */
export function findingLines({ verdict, what, mend }: Finding): string[] {
  return [`${MARKS[verdict]}  ${what}`, ...(mend === undefined ? [] : [`      → ${mend}`])];
}
