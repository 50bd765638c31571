// The commands of a scenario of the plan, taken from the current pages.
import { commandsOf, type DocCommand } from './commands.ts';
import { readPage } from './document.ts';
import { type Choice, PAGES, PLAN, REFUSED, type ScenarioName } from './plan.ts';

export interface Step extends DocCommand {
  refused: boolean;
}

/** Every command of every page. */
export async function allCommands(): Promise<DocCommand[]> {
  return (await Promise.all(PAGES.map(readPage))).flatMap(commandsOf);
}

/** In the order of the plan. @throws when the pages have no command for one of its choices */
export async function scenario(name: ScenarioName): Promise<Step[]> {
  const commands = await allCommands();
  return PLAN[name].choices.flatMap((choice) => chosen(commands, choice));
}

/**
 * The command that the plan refers to; a command that is on its page several times is returned once. @throws when there
 * is none
 */
export function chosen(commands: readonly DocCommand[], choice: Choice): Step[] {
  const { page, section, begins } = choice;
  const found = commands
    .filter((command) => command.page === page && (section === undefined || command.section === section))
    .filter(({ text, form }) => (begins === undefined ? form === 'block' : text.startsWith(begins)));
  const once = found.filter(({ text }, index) => found.findIndex((other) => other.text === text) === index);
  if (once.length === 0) throw new Error(`${page} has no command for ${JSON.stringify(choice)}`);
  return once.map((command) => ({ ...command, refused: REFUSED.some((start) => command.text.startsWith(start)) }));
}
