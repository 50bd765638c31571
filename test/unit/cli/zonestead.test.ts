// The commands of `zonestead` as descriptions, and the tree of commander's commands that they make.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '#cli/all-commands.ts';
import { settingsHelp } from '#cli/tree.ts';
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

describe('the map of commands', () => {
  it('has each command under its own name', async () => {
    for (const [name, load] of Object.entries(COMMANDS)) expect((await load()).command.name).toBe(name);
  });

  it('gives --version the version of the package', () => {
    expect(program.version()).toBe(manifest.version);
  });

  it.each(all(program))('%s describes itself, its arguments and its options', (_words, command) => {
    const texts = [
      command.description(),
      ...command.registeredArguments.map(({ description }) => description),
      ...command.options.map(({ description }) => description),
    ];
    for (const text of texts) expect(text).toMatch(/^\S.{3,}[^.]$/);
  });
});

describe('help', () => {
  it.each(['api', 'operator', 'solver', 'nameserver', 'external-dns'])(
    '%s lists the settings that it reads, with description and default',
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

  it('lists all settings in lines of at most 80 characters', () => {
    const long = settingsHelp(describeSettings())
      .split('\n')
      .filter((line) => line.length > 80 && line.trim().includes(' '));
    expect(long).toEqual([]);
  });
});

describe('the tree for one command line', () => {
  const names = async (...words: string[]) =>
    (await createZonesteadProgram(COMMANDS, undefined, words)).commands.map((each) => each.name());

  it('has only the command that its first word names', async () => {
    expect(await names('zones', 'list')).toEqual(['zones']);
  });

  it('has all commands if the first word names none', async () => {
    expect(await names('zone')).toEqual(Object.keys(COMMANDS));
    expect(await names('--help')).toEqual(Object.keys(COMMANDS));
    expect(await names()).toEqual(Object.keys(COMMANDS));
  });

  it('loads commander and the schemas of the contract, and no other package, for any command', async () => {
    // A process loads a package once, and the command that loads it first is named.
    const script = `
      import { registerHooks } from 'node:module';
      const packages = new Map();
      let loading = 'none';
      registerHooks({
        load(url, context, next) {
          const found = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url);
          if (found && !packages.has(found[1])) packages.set(found[1], loading);
          return next(url, context);
        },
      });
      const { COMMANDS } = await import('${PROJECT}src/cli/all-commands.ts');
      const { createZonesteadProgram } = await import('${PROJECT}src/cli/zonestead.ts');
      for (loading of Object.keys(COMMANDS)) await createZonesteadProgram(COMMANDS, undefined, [loading]);
      console.log(JSON.stringify([Object.keys(COMMANDS), [...packages]]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const [names, packages] = JSON.parse(stdout);
    expect(names).toEqual(Object.keys(COMMANDS));
    expect(packages.map(([name]: string[]) => name).sort()).toEqual(['commander', 'zod']);
  });
});
