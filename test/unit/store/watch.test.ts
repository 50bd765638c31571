import { expect, test } from 'vitest';
import { judgeWork, type Suspect } from '#store/watch.ts';

const suspect = (set: Partial<Suspect> = {}): Suspect => ({ pid: 7, waitedMs: 10_000, missed: 0, ...set });
const active = (...rows: [number, string | null][]) => ({ active: new Map(rows) });

test('a statement that the server works on is fine, however long it takes', () => {
  expect(judgeWork(suspect(), active([7, null]))).toBe('fine');
  expect(judgeWork(suspect(), active([7, 'DataFileRead']))).toBe('fine');
});

test('a statement that the server does not know is given up at the second look: its answer could be on its way', () => {
  expect(judgeWork(suspect(), active([8, null]))).toBe('missing');
  expect(judgeWork(suspect({ missed: 1 }), active([8, null]))).toBe('gone');
});

test('a commit that waits for the standby is held after three seconds', () => {
  expect(judgeWork(suspect({ waitedMs: 2_999 }), active([7, 'SyncRep']))).toBe('fine');
  expect(judgeWork(suspect({ waitedMs: 3_000 }), active([7, 'SyncRep']))).toBe('held');
});

test('nothing is concluded without a connection, or behind a pooler', () => {
  expect(judgeWork(suspect({ pid: null, missed: 1 }), active())).toBe('fine');
  expect(judgeWork(suspect({ missed: 1 }), { active: null })).toBe('fine');
});
