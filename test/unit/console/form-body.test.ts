// The bodies of forms: their limits, and the early refusal of a body that consists of fields.
import { expect, test } from 'vitest';
import { parseFormBody } from '#console/shell/form-body.ts';

test('the body of a form becomes its fields, with a list for a repeated one', () => {
  expect({ ...parseFormBody('a=1&b=x+y%26z&b=%C3%BC&c') }).toEqual({ a: '1', b: ['x y&z', 'ü'], c: '' });
});

test('the body of a form may contain a key with a thousand grants, none of which is dropped', () => {
  const grants = Array.from({ length: 1_000 }, (_, at) => `grantZone=z${at}.example&grantLevel=read`).join('&');
  const { grantZone, grantLevel, name } = parseFormBody(`${grants}&name=x`);
  expect([grantZone?.length, grantLevel?.length, name]).toEqual([1_000, 1_000, 'x']);
});

test.each([
  ['fields', '&'.repeat(4_096), 'more than 4096 fields'],
  ['names', Array.from({ length: 65 }, (_, at) => `n${at}`).join('&'), 'more than 64 names'],
])('the body of a form is refused if it has too many %s', (_what, body, said) => {
  expect(() => parseFormBody(body)).toThrow(said);
});

test('the body of a form may have 64 names, and names of JavaScript’s own objects', () => {
  expect(Object.keys(parseFormBody(Array.from({ length: 64 }, (_, at) => `n${at}`).join('&')))).toHaveLength(64);
  expect(Object.keys(parseFormBody('__proto__=1&constructor=2'))).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});
