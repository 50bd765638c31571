// How the plan refers to commands of the pages. Pure.
import type { Proof } from './proofs.ts';

/** Commands of a page: all in blocks of a section, or those that begin so. */
export interface Choice {
  page: string;
  section?: string;
  begins?: string;
  /** The results of its commands that change something. */
  expect?: readonly Proof[];
  /**
   * A command that only looks is repeated for this long, in seconds. (Default: 10. Longer only if the page says how
   * long.)
   */
  seconds?: number;
}

export interface Scenario {
  /** Where it is followed. */
  test: string;
  choices: Choice[];
}

/** The path of a guide. */
export const howTo = (name: string) => `docs/how-to/${name}.md`;

/** All commands in the blocks of a section. */
export const block = (page: string, section: string, expect: readonly Proof[] = []): Choice => ({
  page,
  section,
  expect,
});

/** The same choices, with the proofs of their commands. */
export const proven = (expect: readonly Proof[], choices: readonly Choice[]): Choice[] =>
  choices.map((choice) => ({ ...choice, expect }));
/** The commands of a page that begin so. */
export const begins = (page: string, ...starts: string[]): Choice[] => starts.map((start) => ({ page, begins: start }));
