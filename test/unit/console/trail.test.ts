// The links of a list that is read in one direction: forwards page by page, and the same way back.
import { expect, test } from 'vitest';
import { type Trail, trailLinks } from '#console/shell/trail.ts';

/** Walks over pages whose cursors are these, and back again; returns the cursors of the pages on the way back. */
function walkBack(cursors: readonly string[]): (string | undefined)[] {
  let at: Trail = {};
  const links = () =>
    trailLinks(at, cursors[at.cursor === undefined ? 0 : cursors.indexOf(at.cursor) + 1], (query) =>
      JSON.stringify(query),
    );
  for (let next = links().next; next !== null; next = links().next) at = JSON.parse(next);
  const seen: (string | undefined)[] = [];
  // A way back that never ends is cut off.
  for (let previous = links().previous; previous !== null && seen.length < 99; previous = links().previous) {
    at = JSON.parse(previous);
    seen.push(at.cursor);
  }
  return seen;
}

test('the way back is the way there, to the first page', () => {
  expect(walkBack(['b', 'c', 'd'])).toEqual(['c', 'b', undefined]);
  expect(walkBack(['b'])).toEqual([undefined]);
});

test('a way that is too long for an address ends on the way back, and the first page keeps a link', () => {
  const cursors = Array.from({ length: 9 }, (_, n) => `${n}`.padEnd(1_000, 'x'));
  // Three of 1,000 characters and their commas fit.
  expect(walkBack(cursors)).toEqual([cursors[7], cursors[6], cursors[5]]);
  const { first, previous } = trailLinks({ cursor: 'x', back: '~' }, undefined, (query) => JSON.stringify(query));
  expect([first, previous]).toEqual(['{}', null]);
});

test('the first page has no way back, and the last one no way on', () => {
  const addressOf = ({ cursor = '' }) => cursor;
  expect(trailLinks({}, undefined, addressOf)).toEqual({ first: null, previous: null, next: null });
  expect(trailLinks({ cursor: 'b', back: ['x'] }, undefined, addressOf)).toEqual({
    first: '',
    previous: '',
    next: null,
  });
  expect(trailLinks({ cursor: 'c', back: 'b,<script>' }, 'd', addressOf)).toEqual({
    first: '',
    previous: 'b',
    next: 'd',
  });
});
