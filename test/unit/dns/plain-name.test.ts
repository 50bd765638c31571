// Names in the form in which they are compared.
import { expect, test } from 'vitest';
import { plainName } from '#dns/names/plain.ts';

test.each([
  ['Example.COM.', 'example.com'],
  ['example.com', 'example.com'],
  ['*.Apps.example.com.', '*.apps.example.com'],
  ['a..', 'a.'],
  ['.', ''],
])('%j is compared as %j', (name, plain) => {
  expect(plainName(name)).toBe(plain);
});
