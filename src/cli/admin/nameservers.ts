// `zonestead admin nameservers …`: name servers that are planned to be down.
import { dropUnprintable } from '#base/printable.ts';
import { parseTtlText } from '#dns/ttl-text.ts';
import type { CommandGroup } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';
import { describeAdminCommand, outputOf } from './command.ts';

const NAME = { usage: '<name>', describe: 'name of the name server or node, or one of its addresses' };

const load = () => import('#service/nodes/cordons.ts');

const cordon = describeAdminCommand({
  name: 'cordon',
  describe: 'let changes and certificates not wait for a name server that is planned to be down',
  arguments: [NAME],
  options: [
    {
      flags: '--for <time>',
      describe: 'the cordon ends after this time, for instance 30m, 4h or 2d',
      isRequired: true,
    },
    { flags: '--reason <text>', describe: 'the reason, which the owners of zones see' },
  ],
  notes:
    'A cordon is for one name: cordon the nodes behind a name server too. At least one other address must be right, otherwise the proof waits for the name server nevertheless.',
  run: async ({ url, print }, [name = ''], options: { for: string; reason?: string }) => {
    const { adminCordon } = await load();
    const seconds = readTime(options.for);
    const { name: target, until } = await adminCordon(url, { name, seconds, reason: options.reason ?? null });
    print(
      `cordoned ${target} until ${until.toISOString()}; to end it before: zonestead admin nameservers uncordon ${target}`,
    );
    print(
      'proofs still ask the nodes of a cordoned name server, and the name server of a cordoned node: cordon each name',
    );
  },
});

const uncordon = describeAdminCommand({
  name: 'uncordon',
  describe: 'end a cordon: the name server counts again',
  arguments: [NAME],
  run: async ({ url, print }, [name = '']) => {
    const { adminUncordon } = await load();
    await adminUncordon(url, name);
    print(`uncordoned ${name}`);
  },
});

const list = describeAdminCommand({
  name: 'list',
  describe: 'list the name servers that are cordoned',
  options: [OUTPUT_OPTION],
  run: async (administration, _args, options: OutputOption) => {
    const { adminListCordons } = await load();
    const cordons = await adminListCordons(administration.url);
    const rows = cordons.map(({ name, until, reason }) => [name, until.toISOString(), dropUnprintable(reason ?? '')]);
    await show(outputOf(administration, options), { cordons }, () =>
      table(['NAME SERVER', 'UNTIL', 'REASON'], rows, administration.print),
    );
  },
});

export const nameservers: CommandGroup = {
  name: 'nameservers',
  describe: 'cordon name servers that are planned to be down',
  commands: [cordon, uncordon, list],
};

/** Seconds. @throws Error if the text is not a time of one unit, from minutes on */
function readTime(text: string): number {
  const seconds = /^\d{1,6}[mhd]$/.test(text) ? parseTtlText(text) : null;
  if (!seconds) throw new Error(`"${text}" is not a time; write a number with m, h or d, such as 30m, 4h or 2d`);
  return seconds;
}
