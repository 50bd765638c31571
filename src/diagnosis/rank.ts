// The order of findings, which is the same in every command: the first one is the first thing to repair. Failures come
// before warnings, a cause before its effects, and a part before those that need it. Pure.
import { type Finding, SUBJECTS } from './finding.ts';

const LEVELS: readonly Finding['level'][] = ['fail', 'warn', 'ok'];

/** For a sort: negative if `a` is to be repaired before `b`. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    Number(a.isEffect === true) - Number(b.isEffect === true) ||
    SUBJECTS.indexOf(a.subject) - SUBJECTS.indexOf(b.subject)
  );
}

/** Findings of the same rank keep their order. */
export function rankFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(compareFindings);
}

export function hasFailure(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'fail');
}
