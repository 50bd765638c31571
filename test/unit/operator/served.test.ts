// The records that a proof asks for while a cluster is drained.
import { expect, test } from 'vitest';
import { pickServed } from '#operator/record/prove.ts';

test('records that are withdrawn are served only where nothing else is', () => {
  const [here, gone] = [
    { id: 1, withdrawn: false },
    { id: 2, withdrawn: true },
  ];
  expect(pickServed([here, gone])).toEqual([here]);
  expect(pickServed([gone])).toEqual([gone]);
  expect(pickServed([])).toEqual([]);
});
