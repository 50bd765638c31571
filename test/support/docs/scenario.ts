// The commands of a scenario of the plan, taken from the current pages.
import type { Choice } from './choices.ts';
import { type DocCommand, listCommands } from './commands.ts';
import { readPage } from './document.ts';
import { FINDS_NOTHING, REFUSED } from './exceptions.ts';
import { PAGES, PLAN, type ScenarioName } from './plan.ts';
import type { Proof } from './proofs.ts';

export interface Step extends DocCommand {
  refused: boolean;
  /** Its search may find nothing: code 1 without output is not a failure. */
  mayFindNothing?: boolean;
  /** The state that the command leaves. Absent: its output proves it, or it changes nothing. */
  proof?: Proof | undefined;
  /** A command that only looks is repeated for this long, in seconds. (Default: 10.) */
  seconds?: number | undefined;
}

let commands: Promise<DocCommand[]> | undefined;

/** Every command of every page, read once in a process. */
export function allCommands(): Promise<DocCommand[]> {
  commands ??= Promise.all(PAGES.map(readPage)).then((pages) => pages.flatMap(listCommands));
  return commands;
}

/** In the order of the plan. @throws when the pages have no command for one of its choices */
export async function scenario(name: ScenarioName): Promise<Step[]> {
  const all = await allCommands();
  return (PLAN[name].choices as readonly Choice[]).flatMap((choice) => chosen(all, choice));
}

/**
 * The command that the plan refers to; a command that is on its page several times is returned once. @throws when there
 * is none
 */
export function chosen(commands: readonly DocCommand[], choice: Choice): Step[] {
  const { page, section, begins, expect = [], seconds } = choice;
  const found = commands
    .filter((command) => command.page === page && (section === undefined || command.section === section))
    .filter(({ text, form }) => (begins === undefined ? form === 'block' : text.startsWith(begins)));
  const once = found.filter(({ text }, index) => found.findIndex((other) => other.text === text) === index);
  if (once.length === 0) throw new Error(`${page} has no command for ${JSON.stringify(choice)}`);
  return once.map((command) => ({
    ...command,
    refused: REFUSED.some((start) => command.text.startsWith(start)),
    mayFindNothing: FINDS_NOTHING.some((words) => command.text.endsWith(`| grep ${words}`)),
    proof: expect.find((each) => command.text.startsWith(each.begins)),
    seconds,
  }));
}
