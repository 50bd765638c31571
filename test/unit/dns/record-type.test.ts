// The type of a record in a request: in any case, and a sentence for types that other software has.
import { expect, test } from 'vitest';
import { recordType } from '#contract/record-type.ts';
import { parseType } from '#dns/record.ts';

const messageOf = (text: unknown) => recordType.safeParse(text).error?.issues[0]?.message;

test.each([
  ['a', 'A'],
  ['Cname', 'CNAME'],
  ['type65280', 'TYPE65280'],
])('%s is %s', (text, type) => {
  expect(recordType.parse(text)).toBe(type);
});

test.each([
  ['ANAME', 'use ALIAS'],
  ['soa', 'the service makes the SOA record of a zone itself'],
  ['SPF', 'use TXT'],
  ['RRSIG', 'the service signs its zones'],
])('%s is refused with the sentence that says what to do', (text, words) => {
  expect(messageOf(text)).toMatch(new RegExp(`^${words}`));
  const verdict = parseType(text);
  expect(verdict.ok ? '' : verdict.problem.message).toContain(`is not accepted: ${words}`);
});

test.each(['constructor', 'X', '', ' A', 7])('%s is refused with the list of types', (text) => {
  expect(messageOf(text)).toMatch(/^must be one of A, AAAA, /);
});
