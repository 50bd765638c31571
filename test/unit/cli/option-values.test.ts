// The values of options: every option that is a TTL takes a time with units.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '#cli/all-commands.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';

const program = await createZonesteadProgram(COMMANDS);
const find = (words: string[], from: Command = program): Command =>
  words.reduce((command, word) => command.commands.find((each) => each.name() === word) ?? command, from);

test.each([
  ['records create', '--ttl'],
  ['records update', '--ttl'],
  ['records set', '--ttl'],
  ['zones create', '--default-ttl'],
  ['zones update', '--default-ttl'],
])('%s takes a time with units in %s, and says what it accepts', (words, flag) => {
  const option = find(words.split(' ')).options.find(({ long }) => long === flag);
  const parse = (text: string) => option?.parseArg?.(text, undefined);
  expect([parse('300'), parse('5m'), parse('1h'), parse('1h30m'), parse('1D')]).toEqual([300, 300, 3600, 5400, 86400]);
  for (const wrong of ['', '1x', '1.5h', '-1', 'h', `${'9'.repeat(30)}h`]) {
    expect(() => parse(wrong), wrong).toThrow(
      /^It must be a whole number of seconds, or a time with units such as 90s/,
    );
  }
});

test.each(['--interval', '--timeout', '--retry-interval'])('checks set takes a fraction of a second in %s', (flag) => {
  const option = find(['checks', 'set']).options.find(({ long }) => long === flag);
  const parse = (text: string) => option?.parseArg?.(text, undefined);
  expect([parse('0.5'), parse('0.25s'), parse('2'), parse('30s'), parse('1m')]).toEqual([0.5, 0.25, 2, 30, 60]);
  for (const wrong of ['', 'soon', '.5', '1.5m', '-1', '1e3', '0x10'])
    expect(() => parse(wrong), wrong).toThrow(/^It must be a number of seconds such as 0.5, or a time with units/);
});
