// The commands of `zonestead` as descriptions, and the tree of commander's commands that they make.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '#cli/all-commands.ts';
import { settingsHelp } from '#cli/help-text.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';
import { describeSettings } from '#config.ts';
import manifest from '../../../package.json' with { type: 'json' };

const program = await createZonesteadProgram(COMMANDS);
const PROJECT = new URL('../../..', import.meta.url).pathname;

/** A command and all commands below it, by the words that run them. */
function all(command: Command, before = ''): [string, Command][] {
  const words = `${before} ${command.name()}`.trim();
  return [[words, command], ...command.commands.flatMap((each) => all(each, words))];
}

/** The whole text that --help prints. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

test('the map of commands has each command under its own name', async () => {
  for (const [name, load] of Object.entries(COMMANDS)) expect((await load()).command.name).toBe(name);
});

test('the map of commands gives --version the version of the package', () => {
  expect(program.version()).toBe(manifest.version);
});

test.each(all(program))('the command %s describes itself, its arguments and its options', (_words, command) => {
  const texts = [
    command.description(),
    ...command.registeredArguments.map(({ description }) => description),
    ...command.options.map(({ description }) => description),
  ];
  for (const text of texts) expect(text).toMatch(/^\S.{3,}[^.]$/);
});

test.each(['api', 'operator', 'solver', 'nameserver', 'external-dns'])(
  'the help of %s lists the settings that it reads, with description and default',
  async (name) => {
    const loaded = (await COMMANDS[name]?.())?.command;
    const settings = loaded !== undefined && 'settings' in loaded ? (loaded.settings ?? []) : [];
    expect(settings.length).toBeGreaterThan(4);
    const [command] = program.commands.filter((each) => each.name() === name);
    const help = helpOf(command!).replace(/\s+/g, ' ');
    for (const { name: setting, description, default: preset, isRequired } of describeSettings(settings)) {
      expect(help).toContain(`${setting} (${isRequired ? 'required' : `default: ${preset ?? ''}`}`);
      expect(help).toContain(description);
    }
  },
);

test('help lists all settings in lines of at most 80 characters', () => {
  const long = settingsHelp(describeSettings())
    .split('\n')
    .filter((line) => line.length > 80 && line.trim().includes(' '));
  expect(long).toEqual([]);
});

const names = async (...words: string[]) =>
  (await createZonesteadProgram(COMMANDS, undefined, words)).commands.map((each) => each.name());

test('the tree for one command line has only the command that its first word names', async () => {
  expect(await names('zones', 'list')).toEqual(['zones']);
});

test('the tree for one command line has all commands if the first word names none', async () => {
  expect(await names('zone')).toEqual(Object.keys(COMMANDS));
  expect(await names('--help')).toEqual(Object.keys(COMMANDS));
  expect(await names()).toEqual(Object.keys(COMMANDS));
});

/** The packages that a program loads, in a process of its own, and whether it loads the contract. */
const packagesOf = async (work: string): Promise<string[]> => {
  const script = `
      import { registerHooks } from 'node:module';
      const packages = new Set();
      registerHooks({
        load(url, context, next) {
          const found = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url);
          if (found) packages.add(found[1]);
          if (url.includes('/src/contract/')) packages.add('the contract');
          return next(url, context);
        },
      });
      const { COMMANDS } = await import('${PROJECT}src/cli/all-commands.ts');
      const { createZonesteadProgram } = await import('${PROJECT}src/cli/zonestead.ts');
      ${work}
      console.log(JSON.stringify([...packages].sort()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout.split('\n').at(-2) ?? '');
};

test('the tree for one command line loads commander, the schemas of the contract and the rules of names, and no other package, for any command', async () => {
  const work = 'for (const name of Object.keys(COMMANDS)) await createZonesteadProgram(COMMANDS, undefined, [name]);';
  expect(await packagesOf(work)).toEqual(['commander', 'punycode', 'the contract', 'tr46', 'zod']);
});

test('the tree for one command line does not load the contract for completion and for words that name no command', async () => {
  const work = `
      await createZonesteadProgram(COMMANDS, undefined, ['zone']);
      const context = { print() {}, warn() {}, program: '', signal: new AbortController().signal, stop() {}, missing: [] };
      const program = await createZonesteadProgram(COMMANDS, context, ['complete', 'zon']);
      await program.parseAsync(['complete', 'zon'], { from: 'user' });`;
  expect(await packagesOf(work)).toEqual(['commander', 'punycode', 'tr46', 'zod']);
});

test('the tree for one command line names a command below admin, if the words are those of one', async () => {
  const errorOf = async (...words: string[]) => {
    const tree = await createZonesteadProgram(COMMANDS, undefined, words);
    let text = '';
    for (const command of [tree, ...tree.commands]) {
      const { outputError } = command.configureOutput();
      command
        .configureOutput({ writeErr: (part) => (text += part), ...(outputError ? { outputError } : {}) })
        .exitOverride();
    }
    await tree.parseAsync(words, { from: 'user' }).catch(() => undefined);
    return text;
  };
  expect(await errorOf('users', 'suspend')).toContain(
    'It is a command over the database: zonestead admin users suspend',
  );
  expect(await errorOf('zones', 'release')).toContain('zonestead admin zones release');
  expect(await errorOf('users', 'nothing')).not.toContain('admin');
  expect(await errorOf('admin', 'keys', 'nothing')).not.toContain('It is a command');
});

test('help of the program ends with the page of the documentation about it', () => {
  expect(helpOf(program).trimEnd()).toMatch(/\n\nDocumentation: docs\/how-to\/use-the-command-line\.md$/);
});
