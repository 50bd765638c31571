// The tree of commander's commands that the descriptions of commands make.
import { Command } from 'commander';
import { linkToPage } from '#base/docs-link.ts';
import manifest from '../../package.json' with { type: 'json' };
import { adminHint } from './admin-hint.ts';
import type { CommandDescription, CommandGroup, CommandMap, Outline } from './command.ts';
import { addHelp, examplesHelp, notesHelp } from './help-text.ts';
import { headingOf } from './people-commands.ts';
import { addToTree, type ProcessContext } from './tree.ts';

const NO_PROCESS: ProcessContext = {
  print: () => undefined,
  warn: () => undefined,
  program: 'zonestead',
  signal: new AbortController().signal,
  stop: () => undefined,
  missing: [],
};

/** The first steps, for the help of the whole program. */
const EXAMPLES = [
  'zonestead login https://dns.example.net',
  'zonestead zones create shop.example',
  'zonestead records set shop.example www A 192.0.2.1 --ttl 1h --wait',
  'zonestead zones status shop.example',
];

const MORE = '"zonestead <command> --help" lists the options of a command, with examples.';

/**
 * The tree of all commands, or of those alone that the words of a command line need: a command starts sooner without
 * the descriptions of the others.
 */
export async function createZonesteadProgram(
  commands: CommandMap,
  context: ProcessContext = NO_PROCESS,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command('zonestead')
    .description('DNS service for Kubernetes, with zones and records as resources and over a REST API')
    .version(manifest.version, '-V, --version', 'print the version of Zonestead')
    .commandsGroup(headingOf('version'))
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions();
  addHelp(program, () => examplesHelp(EXAMPLES));
  addHelp(program, (width) => notesHelp(MORE, width));
  const { describeSettings: settings, readConfig } = isHelp(words) ? await import('#config.ts') : {};
  const site = readConfig?.(['ZONESTEAD_DOCS_URL']).ZONESTEAD_DOCS_URL;
  addHelp(program, () => `\nDocumentation: ${linkToPage(site, 'command line')}`);
  if (words === undefined) {
    const all = await Promise.all(Object.values(commands).map((load) => load()));
    for (const { command } of all) addToTree(program, command, context, { settings });
    return program;
  }
  const [first = '', second = ''] = words;
  const named = commands[first === 'help' ? second : first];
  if (named === undefined || first === 'help') await addOutlines(program, commands, context, named && second);
  if (named === undefined) return program;
  const { command } = await named();
  const knows = 'commands' in command && command.commands.some(({ name }) => name === second);
  const isUnknown = first !== 'admin' && !knows && second !== '' && !second.startsWith('-');
  const hint = isUnknown ? adminHint((await import('./completion/outlines.ts')).OUTLINES, words) : null;
  addToTree(program, command, context, { settings, hint });
  return program;
}

/** Adds the commands for the help of the whole program, without their modules. @param except one that is loaded */
async function addOutlines(
  program: Command,
  commands: CommandMap,
  context: ProcessContext,
  except: string | undefined,
): Promise<void> {
  const { OUTLINES } = await import('./completion/outlines.ts');
  for (const outline of OUTLINES) {
    if (outline.name === except || !Object.hasOwn(commands, outline.name)) continue;
    const isMissing = context.missing.includes(outline.name);
    addToTree(program, withoutWork(isMissing ? { ...outline, isHidden: true } : outline), context);
  }
}

/** Help prints such a command. It never runs, because a first word that names a command loads it. */
function withoutWork(outline: Outline): CommandDescription | CommandGroup {
  if ('commands' in outline) return { ...outline, commands: outline.commands.map(withoutWork) };
  return { ...outline, run: () => Promise.resolve() };
}

function isHelp(words: readonly string[] | undefined): boolean {
  return words === undefined || words[0] === 'help' || words.some((word) => word === '--help' || word === '-h');
}
