// The names by which a record is judged, and the patterns that permit them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { challengedName, judgedNames, PROOF_LABELS, permitsName } from '#dns/names/certified.ts';
import { isRecordType, type RecordType } from '#dns/types/index.ts';
import { effort } from '../../support/runner/seed.ts';

const namesOf = (name: string, type: RecordType) => judgedNames(name, type).map((judged) => judged.name);
const permits = (patterns: readonly string[], name: string, type: RecordType = 'TXT') =>
  judgedNames(name, type).every((judged) => patterns.some((pattern) => permitsName(pattern, judged)));

test.each<[string, RecordType, string[]]>([
  ['_acme-challenge', 'TXT', ['@']],
  ['_acme-challenge.dev', 'TXT', ['dev']],
  ['_acme-challenge.dev', 'A', ['dev']],
  ['_acme-challenge.dev', 'TYPE65280', ['dev']],
  ['_acme-challenge.a.b.dev', 'CNAME', ['a.b.dev']],
  ['_validation-persist.dev', 'TXT', ['dev']],
  ['_account._acme-challenge.dev', 'TXT', ['dev']],
  ['_account._acme-challenge', 'TXT', ['@']],
  ['*._acme-challenge.dev', 'A', ['dev']],
  ['a.b._acme-challenge.dev', 'NS', ['dev']],
  // The label next to the certified name decides.
  ['_acme-challenge.x._acme-challenge.dev', 'TXT', ['dev']],
  ['_acme-challenge._validation-persist.dev', 'TXT', ['dev']],
  // A text that only contains the label is another name.
  ['x_acme-challenge.dev', 'TXT', ['x_acme-challenge.dev']],
  ['_acme-challengex.dev', 'A', ['_acme-challengex.dev']],
  ['_dnsauth', 'TXT', ['@']],
  ['_dnsauth.dev', 'TXT', ['dev']],
  ['_3f2a.dev', 'CNAME', ['dev']],
  ['_3f2a.dev', 'CAA', ['dev']],
  ['_3f2a.dev', 'NS', ['dev']],
  ['_443.dev', 'TLSA', ['_443.dev']],
  ['_sip._tcp.dev', 'SRV', ['_sip._tcp.dev']],
  ['_sip._tcp.dev', 'TXT', ['_sip._tcp.dev']],
  ['selector._domainkey.dev', 'TXT', ['selector._domainkey.dev']],
  ['*', 'TXT', ['*', '@']],
  ['*.dev', 'TXT', ['*.dev', 'dev']],
  ['*.dev', 'CNAME', ['*.dev', 'dev']],
  ['*.dev', 'CAA', ['*.dev', 'dev']],
  ['*.dev', 'A', ['*.dev']],
  ['*.dev', 'ALIAS', ['*.dev']],
  ['*.dev', 'MX', ['*.dev']],
  ['@', 'TXT', ['@']],
  ['dev', 'TXT', ['dev']],
])('%s %s is judged by %j', (name, type, expected) => {
  expect(namesOf(name, type)).toEqual(expected);
});

test.each<[string[], string, boolean]>([
  [['*.dev'], '_acme-challenge.dev', false],
  [['*.dev'], '_acme-challenge.a.dev', true],
  [['*.dev'], '_x._acme-challenge.a.dev', true],
  [['dev'], '_acme-challenge.dev', true],
  [['dev'], '_acme-challenge.a.dev', false],
  [['dev'], '*.dev', false],
  [['*.dev'], '*.dev', false],
  [['dev', '*.dev'], '*.dev', true],
  [['*'], '_acme-challenge', true],
  [['*'], '*', true],
  [['@'], '_acme-challenge', true],
  [['@'], '_acme-challenge.www', false],
  // Texts that spell the label permit these names explicitly, and only the text counts, not a star that covers it.
  [['_acme-challenge'], '_acme-challenge', true],
  [['_acme-challenge'], '_acme-challenge.www', false],
  [['_acme-challenge.*'], '_acme-challenge.www', true],
  [['_acme-challenge.*'], '_acme-challenge', false],
  [['_acme-challenge.*'], '_validation-persist.www', false],
  [['_acme-challenge*'], '_acme-challenge', true],
  [['_acme-challenge*'], '_x._acme-challenge.www', false],
  [['_acme-challenge.dev'], '_acme-challenge.dev', true],
  [['*._acme-challenge.dev'], '_x._acme-challenge.dev', true],
  [['*._acme-challenge.dev'], '_acme-challenge.dev', false],
  [['_*'], '_acme-challenge.dev', false],
  [['_*.dev'], '_acme-challenge.dev', false],
  [['_acme*'], '_acme-challenge.dev', false],
  [['_x_acme-challenge*'], '_x_acme-challenge._acme-challenge.dev', false],
  [['_dmarc.*'], '_dmarc.dev', true],
  [['_dmarc.*'], '_dnsauth.dev', false],
])('the pattern %j permits TXT at %s: %s', (patterns, name, expected) => {
  expect(permits(patterns, name)).toBe(expected);
});

test('a pattern without an underscore that permits a proof permits the name that it proves, or one that spells the proof', () => {
  const label = fc.constantFrom('a', 'dev', '*', '_x', '_acme-challenge', '_validation-persist');
  const name = fc
    .array(label, { minLength: 1, maxLength: 5 })
    .map((labels) => labels.map((each, at) => (each === '*' && at > 0 ? 'b' : each)).join('.'));
  const pattern = fc
    .array(fc.constantFrom('a', 'dev', '*', '.'), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(name, pattern, fc.constantFrom<RecordType>('TXT', 'CNAME', 'A'), (owner, text, type) => {
      const { length } = owner.split('.');
      const proven =
        owner
          .split('.')
          .slice(Math.min(length, 1 + lastProof(owner)))
          .join('.') || '@';
      if (lastProof(owner) >= 0 && permits([text], owner, type)) expect(permits([text], proven, 'A')).toBe(true);
    }),
    { numRuns: effort(5_000, 1_000) },
  );
});

const lastProof = (name: string) => name.split('.').findLastIndex((each) => PROOF_LABELS.includes(each));

test.each([
  ['_acme-challenge', '@'],
  ['_acme-challenge.a.dev', 'a.dev'],
  ['_x._acme-challenge.dev', 'dev'],
  ['x._acme-challenge.dev', undefined],
  ['*._acme-challenge.dev', undefined],
  ['_x._y._acme-challenge.dev', undefined],
  ['_validation-persist.dev', undefined],
  ['_dnsauth.dev', undefined],
  ['dev', undefined],
])('the challenge %s is for %s', (name, expected) => {
  expect(challengedName(name)?.name).toBe(expected);
});

// A generic type could otherwise answer for a wildcard as one of these does.
test.each([2, 5, 16, 39, 257])('the type %i has no generic form', (number) => {
  expect(isRecordType(`TYPE${number}`)).toBe(false);
});
