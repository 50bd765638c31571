// `zonestead contexts …`: the logins of a person, without their keys.
import { type CommandGroup, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';

const list = describeCommand({
  name: 'list',
  describe: 'list your logins, and which one is current',
  options: [OUTPUT_OPTION],
  run: async (_args, { output: format }: OutputOption, { print }) => {
    const { readLogins } = await import('./store.ts');
    const { current, contexts } = await readLogins();
    const shown = Object.entries(contexts).map(([context, { url }]) => ({
      context,
      url,
      current: context === current,
    }));
    await show({ format, print }, { contexts: shown }, () => {
      if (shown.length === 0) return print('There is no login yet: "zonestead login <address>" creates one.');
      table(
        ['CONTEXT', 'CURRENT', 'ADDRESS'],
        shown.map((each) => [each.context, each.current ? 'yes' : '-', each.url]),
        print,
      );
    });
  },
});

const use = describeCommand({
  name: 'use',
  describe: 'make a login the current one',
  arguments: [{ usage: '<context>', describe: 'name of the login, as "contexts list" prints it' }],
  run: async ([name = ''], _options, { print }) => {
    const { loginNamed, readLogins, writeLogins } = await import('./store.ts');
    const logins = await readLogins();
    const { url } = loginNamed(logins, name);
    await writeLogins({ ...logins, current: name });
    print(`The current context is ${name} (${url}).`);
  },
});

export const command: CommandGroup = {
  name: 'contexts',
  describe: 'list your logins, and choose the current one',
  examples: ['zonestead contexts list', 'zonestead contexts use prod', 'zonestead zones list --context prod'],
  commands: [list, use],
};
