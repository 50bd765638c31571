import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArray, writeArray } from '#store/arrays.ts';

test('an array is read back as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'binary' }))), (values) => {
      expect(readArray(writeArray(values))).toEqual(values);
    }),
  );
});

test('an array of Postgres has quotes only where they are needed', () => {
  expect(readArray('{a,"b c",NULL,"NULL","",12}')).toEqual(['a', 'b c', null, 'NULL', '', '12']);
  expect(readArray('{}')).toEqual([]);
});

test('an array that is written already is sent as it is', () => {
  expect(writeArray('{a,b}')).toBe('{a,b}');
});
