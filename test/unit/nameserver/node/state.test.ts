// The state of a node in its file, after a crash, with an unreadable file, and on a disk without room.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { emptyRow, openState } from '#nameserver/node/state.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

let root: string;
beforeAll(async () => {
  root = await temporaryFolder('node-state');
});

const ROW = {
  name: 'a.test',
  id: 'z1',
  version: 'v1',
  serial: 4_294_967_295,
  engineSerial: 4_294_967_295,
  soa: '{}',
  key: 'k',
  denial: 'NSEC3',
  isExact: true,
  isDirty: false,
  unlisted: null,
  origin: '{}',
};

test('the state of a node is read again as it was written, row by row', () => {
  const folder = join(root, randomUUID());
  const { state, anew } = openState(folder);
  expect(anew).toEqual({ reason: expect.stringContaining('did not exist'), isLoss: false });
  state.put(ROW);
  state.put(emptyRow('b.test', 'z2'));
  const unlisted = { reason: 'restored', since: 1_700_000_000_000.25 } as const;
  state.put({ ...emptyRow('d.test', 'z4'), unlisted });
  state.put(emptyRow('c.test', 'z3'));
  state.delete('c.test');
  state.setFacts({ cursor: 'c1', epoch: 'e1' });
  state.setFacts({ compare: 'x' });
  state.close();
  const again = openState(folder);
  expect(again.anew).toBeNull();
  expect(again.state.instance).toBe(state.instance);
  expect(again.state.facts()).toEqual({ cursor: 'c1', epoch: 'e1', compare: 'x', transfers: null, endings: null });
  expect([...again.state.rows().values()]).toEqual([
    ROW,
    emptyRow('b.test', 'z2'),
    { ...emptyRow('d.test', 'z4'), unlisted },
  ]);
  again.state.close();
});

test.each([
  ['garbage', async (file: string) => writeFile(file, 'x'.repeat(8_192))],
  ['a file of another form', async (file: string) => new DatabaseSync(file).exec('pragma user_version = 7')],
  [
    'a damaged file',
    async (file: string) => {
      const { state } = openState(join(file, '..'));
      for (let at = 0; at < 500; at++) state.put(emptyRow(`z${at}.test`, `z${at}`));
      state.close();
      const { readFile } = await import('node:fs/promises');
      const octets = await readFile(file);
      octets.fill(0x55, 4_096, octets.length - 4_096);
      await writeFile(file, octets);
    },
  ],
])('the state of a node begins without memory with %s, and keeps the file', async (_, damage) => {
  const folder = join(root, randomUUID());
  await mkdir(folder);
  await damage(join(folder, 'node.sqlite'));
  const { state, anew } = openState(folder);
  expect(anew).toEqual({
    reason: expect.stringMatching(/is unreadable .* kept as node.sqlite.unreadable/s),
    isLoss: true,
  });
  expect(existsSync(join(folder, 'node.sqlite.unreadable'))).toBe(true);
  expect([state.rows().size, state.facts().cursor]).toEqual([0, null]);
  state.put(ROW);
  state.close();
  const again = openState(folder);
  expect(again.anew).toBeNull();
  again.state.close();
});

test('the state of a node names the remedy for a folder that it cannot use', async () => {
  const file = join(root, randomUUID());
  await writeFile(file, '');
  expect(() => openState(join(file, 'folder'))).toThrow(/cannot be opened .*The node needs a folder that it may write/);
});

test('the state of a node keeps the cursor back while rows cannot be written, and writes all together later', () => {
  const folder = join(root, randomUUID());
  const { state } = openState(folder, { maxPages: 8 });
  state.setFacts({ cursor: 'c1' });
  const long = 'x'.repeat(40_000);
  state.put({ ...ROW, soa: long });
  expect(state.problem()).toMatch(/full/);
  state.setFacts({ cursor: 'c2' });
  expect(state.facts().cursor).toBe('c2');
  state.close();
  const again = openState(folder, { maxPages: 8 });
  expect(again.state.facts().cursor).toBe('c1');
  expect(again.state.rows().size).toBe(0);
  again.state.put({ ...ROW, soa: long });
  again.state.setFacts({ cursor: 'c2' });
  again.state.put(ROW);
  expect(again.state.problem()).toBeNull();
  again.state.close();
  const third = openState(folder);
  expect([third.state.facts().cursor, third.state.rows().get('a.test')]).toEqual(['c2', ROW]);
  third.state.close();
});

test('the state of a node writes a batch in one transaction', () => {
  const folder = join(root, randomUUID());
  const { state } = openState(folder);
  expect(() =>
    state.batch(() => {
      state.put(ROW);
      throw new Error('in the middle');
    }),
  ).toThrow('in the middle');
  state.close();
  const again = openState(folder);
  // Rows that were put describe commits of the name server, so they are written.
  expect(again.state.rows().size).toBe(1);
  again.state.close();
});
