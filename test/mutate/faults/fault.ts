// Faults with one edit, which one test file notices.
import type { Fault, Project } from '../fault.ts';

export const fault = (
  name: string,
  breaks: string,
  [file, find, replace]: readonly [string, string, string],
  project: Project,
  test: string,
): Fault => ({ name, breaks, edits: [{ file, find, replace }], project, tests: [test] });

/** Faults whose names begin alike, and which one test file notices. The folder of the test is its level. */
export const noticedBy =
  (prefix: string, test: string) =>
  (name: string, breaks: string, file: string, find: string, replace: string): Fault =>
    fault(`${prefix}-${name}`, breaks, [file, find, replace], test.split('/')[1] as Project, test);

/** The same for faults of one file. */
export const noticedIn = (prefix: string, test: string, file: string) => {
  const notice = noticedBy(prefix, test);
  return (name: string, breaks: string, find: string, replace: string): Fault =>
    notice(name, breaks, file, find, replace);
};
