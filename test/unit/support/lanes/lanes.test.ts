// The lanes of the tests: each file has one, each folder of the product starts one, and a call of `npm test` takes the
// right ones.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FAULTS } from '../../../mutate/faults/index.ts';
import { chosenLanes, patternsFor } from '../../../support/lanes/chosen.ts';
import {
  findLane,
  GATE,
  LANE_NAMES,
  LANES,
  type Lane,
  lanesStartedBy,
  readLanes,
} from '../../../support/lanes/lanes.ts';
import { planRun } from '../../../support/lanes/plan.ts';

const ROOT = new URL('../../../..', import.meta.url).pathname;
const lanes: [string, Lane][] = Object.entries(LANES);
const files = (await readdir(`${ROOT}test`, { recursive: true })).filter((file) => file.endsWith('.test.ts'));
const folders = async (parent: string) =>
  (await readdir(`${ROOT}${parent}`, { withFileTypes: true }))
    .filter((each) => each.isDirectory())
    .map(({ name }) => `${parent}/${name}/`);

test('the lanes name files and folders that exist, each in one lane', () => {
  const named = lanes.flatMap(([, lane]) => [...lane.files.map((file) => `test/${file}`), ...lane.starts]);
  expect(named.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  for (const file of files) {
    const holders = lanes.filter(([, lane]) => lane.files.some((place) => file.startsWith(place)));
    expect([file, holders.length]).toEqual([file, findLane(file) === GATE ? 0 : 1]);
  }
});

test('the lanes are started by every folder of src, deploy, charts and docs', async () => {
  const all = await Promise.all(['src', 'deploy', 'charts', 'docs'].map(folders));
  const idle = all.flat().filter((folder) => lanesStartedBy([`${folder}some-file`]).size === 0);
  expect(idle).toEqual([]);
});

test('the lanes hold no unit test, because the gate has all of them', () => {
  expect(files.filter((file) => file.startsWith('unit/') && findLane(file) !== GATE)).toEqual([]);
});

test('the lanes start by one of their own files or inputs, and all of them by the files that decide about tests', () => {
  expect([...lanesStartedBy(['test/e2e/up.test.ts', 'src/operator/plan.ts', 'LICENSE'])]).toEqual([
    ['operator', 'src/operator/plan.ts'],
    ['deploy', 'test/e2e/up.test.ts'],
  ]);
  expect([...lanesStartedBy(['package-lock.json']).keys()]).toEqual(LANE_NAMES);
  expect(lanesStartedBy(['test/unit/dns/name.test.ts']).size).toBe(0);
});

test('the lanes are read from a list, and an unknown one is refused with the names of all', () => {
  expect(readLanes('gate,docs,chart')).toEqual(['docs', 'chart']);
  expect(readLanes('all')).toEqual(LANE_NAMES);
  expect(() => readLanes('doc')).toThrow(/there is no lane "doc"; the lanes are operator, /);
});

test('the deliberate faults are killed by the gate in 95 of 100 cases, and the others in a lane that their file starts', () => {
  const homes = FAULTS.map(({ name, edits, tests }) => {
    const started = lanesStartedBy(edits.map(({ file }) => file));
    const judges = files.filter((file) => tests.some((place) => `test/${file}`.startsWith(place)));
    const where = judges.map(findLane);
    return { name, gate: where.includes(GATE), lane: where.some((lane) => lane === GATE || started.has(lane)) };
  });
  expect(homes.filter(({ lane }) => !lane).map(({ name }) => name)).toEqual([]);
  expect(homes.filter(({ gate }) => gate).length / homes.length).toBeGreaterThanOrEqual(0.95);
});

const known = ['unit/dns/name.test.ts', 'e2e/docs/local.test.ts', 'e2e/doors/ansible.test.ts'];
const plan = (args: string[], changed: string[] | null = []) =>
  planRun({ args, files: known, changes: changed && { since: 'origin/main', files: changed } });

test('a call of npm test without a change runs the gate alone, and says which lanes it omits', () => {
  const { gate, lanes: chosen, message } = plan([]);
  expect([gate, chosen]).toEqual([true, []]);
  expect(message).toBe(`the gate\nwithout the lanes ${LANE_NAMES.join(', ')}; \`npm run test:full\` runs everything\n`);
});

test('a call of npm test starts the lanes of changed files, and says why; the rest are the others', () => {
  const changed = ['docs/index.md', 'src/console/page.ts'];
  expect(plan([], changed).lanes).toEqual(['console', 'docs']);
  expect(plan([], changed).message).toContain('the lane docs (docs/index.md changed since origin/main)');
  expect(plan(['--dry-run'], changed)).toEqual({ ...plan([], changed), isDry: true });
  const rest = plan(['--rest'], changed);
  expect([rest.gate, rest.lanes]).toEqual([false, LANE_NAMES.filter((name) => name !== 'console' && name !== 'docs')]);
});

test('a call of npm test runs everything when there is nothing to compare with', () => {
  expect(plan([], null).lanes).toEqual(LANE_NAMES);
  expect(plan(['--rest'], null).lanes).toEqual([]);
});

test('a call of npm test takes the lanes that are named, and gives the other arguments to Vitest', () => {
  expect(plan(['--lanes', 'docs', '-t', 'a word'])).toMatchObject({ lanes: ['docs'], args: ['-t', 'a word'] });
  expect(() => plan(['--lanes'])).toThrow('--lanes needs');
});

test('a call of npm test runs a named file of any lane, and prepares that lane alone', () => {
  expect(plan(['--project', 'e2e', 'test/e2e/doors'])).toMatchObject({ gate: true, lanes: ['clients'], message: '' });
  expect(plan(['test/unit/dns/name.test.ts']).lanes).toEqual([]);
});

test('the patterns for Vitest include every file without TEST_LANES', () => {
  expect(patternsFor('test/integration/', chosenLanes({}))).toEqual({
    include: ['test/integration/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
  });
});

test('the patterns for Vitest exclude the files of other lanes, or include those of the lanes alone', () => {
  const gate = patternsFor('test/e2e/', chosenLanes({ TEST_LANES: 'gate,docs' }));
  expect(gate.exclude).toContain('test/e2e/doors/**/*.test.ts');
  expect(gate.exclude).not.toContain('test/e2e/docs/local.test.ts');
  const rest = patternsFor('test/e2e/', chosenLanes({ TEST_LANES: 'docs' }));
  expect(rest.include).toEqual(['test/e2e/docs/local.test.ts']);
});
