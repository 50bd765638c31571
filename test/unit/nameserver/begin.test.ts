// The beginning of transactions when a predecessor left others open. With a real knotd: additions.test.ts.
import { expect, test } from 'vitest';
import { beginConfiguration, beginZone } from '#nameserver/knot/apply.ts';
import { KnotError } from '#nameserver/knot/errors.ts';

/** A knotd with open transactions. Knot 3.4 refuses one while one of the other kind is open; Knot 3.2 does not. */
function knotWith(open: ('zone' | 'conf')[], isNew: boolean) {
  const transactions = new Set(open);
  const commands: string[] = [];
  const refuse = (reason: string) => {
    throw new KnotError('refused', reason, reason);
  };
  const run = async (command: string) => {
    commands.push(command);
    const [kind, verb] = command.split('-') as ['zone' | 'conf', string];
    if (verb === 'abort') {
      if (!transactions.delete(kind) && kind === 'zone') refuse('no active transaction');
    } else if (transactions.has(kind) || (isNew && transactions.size > 0)) refuse('too many transactions');
    else transactions.add(kind);
    return [];
  };
  return { run, commands, transactions };
}

test.each([
  ['conf', false],
  ['conf', true],
  ['zone', true],
] as const)('the configuration is changed although a transaction is open: %s, Knot 3.4 %s', async (kind, isNew) => {
  const { run, transactions } = knotWith([kind], isNew);
  await beginConfiguration(run);
  expect([...transactions]).toEqual(['conf']);
});

test.each([
  ['zone', false],
  ['zone', true],
  ['conf', true],
] as const)('a zone is changed although a transaction is open: %s, Knot 3.4 %s', async (kind, isNew) => {
  const { run, transactions } = knotWith([kind], isNew);
  await beginZone(run, { zone: 'a.test.' });
  expect([...transactions]).toEqual(['zone']);
});

test('a change of a zone leaves a transaction of the configuration alone that Knot 3.2 allows next to it', async () => {
  const { run, commands } = knotWith(['conf'], false);
  await beginZone(run, { zone: 'a.test.' });
  expect(commands).toEqual(['zone-begin']);
});

test('another refusal is not answered by an end of transactions', async () => {
  const commands: string[] = [];
  const run = async (command: string) => {
    commands.push(command);
    throw new KnotError('refused', 'no such zone found', command);
  };
  await expect(beginConfiguration(run)).rejects.toThrow('conf-begin');
  await expect(beginZone(run, {})).rejects.toThrow('zone-begin');
  expect(commands).toEqual(['conf-begin', 'zone-begin']);
});
