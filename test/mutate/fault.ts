// A fault: a small change of the product that breaks one promise, and the tests that must notice it.

/** The project of test/vitest.config.ts that holds the tests. */
export type Project = 'unit' | 'integration' | 'e2e';

/** One replacement of exact text. */
export interface Edit {
  /** Relative to the root of the checkout. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

export interface Fault {
  readonly name: string;
  /** The promise that the fault breaks, as a sentence about the broken product. */
  readonly breaks: string;
  readonly edits: readonly Edit[];
  readonly project: Project;
  /** Test files, or folders of them, relative to the root of the checkout. */
  readonly tests: readonly string[];
  /**
   * A regular expression. Tests whose full name matches do not count: they compare generated text with a copy that the
   * same command writes, so they notice every change and judge none. Absent: every test counts.
   */
  readonly ignore?: string;
}

/**
 * Thrown when the text that a fault replaces is not in the file exactly once: the code has changed, so the list must
 * too.
 */
export class DoesNotApply extends Error {
  override readonly name = 'DoesNotApply';
}

/** @throws {DoesNotApply} */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const at = text.indexOf(find);
  if (find === '' || at < 0) throw new DoesNotApply(`${file} does not contain: ${find}`);
  if (text.indexOf(find, at + 1) >= 0) throw new DoesNotApply(`${file} contains more than once: ${find}`);
  if (find === replace) throw new DoesNotApply(`${file}: the fault changes nothing`);
  return `${text.slice(0, at)}${replace}${text.slice(at + find.length)}`;
}
