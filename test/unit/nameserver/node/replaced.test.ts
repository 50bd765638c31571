// A zone that takes the place of another one of its name, and a zone that gets another key.
import { expect, test } from 'vitest';
import { type ConvergeContext, removeHeldZone } from '#nameserver/node/converge.ts';
import { emptyRow } from '#nameserver/node/state.ts';
import { startWorld } from '../../../support/faulty-node/node-world.ts';

const { signal } = new AbortController();

test('a removal of the old zone that comes late leaves the new zone of its name', async () => {
  const removed: string[] = [];
  const rows = new Map([['a.test', emptyRow('a.test', 'new')]]);
  const context = {
    engine: { remove: async (names: readonly string[]) => void removed.push(...names) },
    state: { rows: () => rows, delete: (name: string) => rows.delete(name) },
    present: new Set(['a.test']),
  } as unknown as ConvergeContext;
  await removeHeldZone(context, { id: 'old', name: 'a.test' }, signal);
  expect([removed, [...rows.keys()], [...context.present]]).toEqual([[], ['a.test'], ['a.test']]);
  await removeHeldZone(context, { id: 'new', name: 'a.test' }, signal);
  expect([removed, rows.size, context.present.size]).toEqual([['a.test'], 0, 0]);
});

test('a zone that the name server has gets the key that the api has now', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
  start();
  await converged();
  feed.keys.set('a.test', 'the key of a restored database');
  feed.rewind('a.test', []);
  feed.restored();
  await converged();
  expect(engine.held.get('a.test')?.privateKey).toBe('the key of a restored database');
});
