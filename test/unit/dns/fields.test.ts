// The fields of forms: every stored content has fields, and they give the same value again.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOfFields, describeType, fieldProblems, fieldsOfContent, fieldsOfType } from '#dns/types/fields.ts';
import { parseRdata } from '#dns/types/index.ts';
import { type NamedType, RECORD_TYPES, type RecordType } from '#dns/types/record-type.ts';
import { effort } from '../../support/runner/seed.ts';

const TYPES = [...RECORD_TYPES, 'TYPE65280'] as const;
const parsed = (type: RecordType, content: string) => {
  const verdict = parseRdata(type, content, null);
  return verdict.ok ? verdict.value : null;
};

test('the fields of a type exist for every type, with examples that make an accepted record', () => {
  for (const type of TYPES) {
    const values = Object.fromEntries(fieldsOfType(type).map(({ name, example }) => [name, example]));
    expect([type, parsed(type, contentOfFields(type, values))]).toEqual([type, expect.anything()]);
  }
});

test('the fields of a type offer choices that the service accepts', () => {
  for (const type of RECORD_TYPES) {
    const examples = Object.fromEntries(fieldsOfType(type).map(({ name, example }) => [name, example]));
    for (const { name, choices = [] } of fieldsOfType(type)) {
      for (const [value] of choices) {
        const content = contentOfFields(type, { ...examples, [name]: value });
        const verdict = parseRdata(type, content, null);
        // Another type of digest has another length, and iodef another form of value.
        const sentence = verdict.ok ? '' : verdict.problem.message;
        expect([type, name, value, /digits|value "letsencrypt.org"/.test(sentence) || verdict.ok]).toEqual([
          type,
          name,
          value,
          true,
        ]);
      }
    }
  }
});

test.each(TYPES)(
  'the fields of a type are found in the content of the example of %s, which they give again',
  (type) => {
    const { content, wire } = parsed(type, describeType(type).example)!;
    const values = fieldsOfContent(type, content);
    expect(values).not.toBeNull();
    expect(parsed(type, contentOfFields(type, values!))?.wire).toEqual(wire);
  },
);

/** Texts that are hard to quote. */
const text = fc.string({
  unit: fc.constantFrom('a', '1', ' ', '"', '\\', ';', '(', '.', '=', ',', 'é', '\t'),
  maxLength: 12,
});
const word = fc.constantFrom(
  '0',
  '1',
  '2',
  '10',
  '128',
  '65535',
  'issue',
  'a.example',
  '.',
  'N',
  'E',
  '5m',
  'c0de',
  'x"y',
);
const value = fc.oneof(text, word);

test.each([
  ['SRV', { priority: '', weight: '5', port: '80', target: 'a.example' }, { priority: 'must not be empty' }],
  [
    'SRV',
    { priority: '1 2', weight: '5', port: 'x', target: 'a b' },
    { priority: 'must be a whole number', port: 'must be a whole number', target: 'must not have blanks' },
  ],
  ['HTTPS', { priority: '1', target: '.', params: '' }, {}],
  [
    'NAPTR',
    { order: '1', preference: '1', flags: '', services: 'a\\', regexp: '', replacement: '.' },
    { services: 'must not end with a single backslash' },
  ],
  ['LOC', { latitude: '52 N', longitude: '4 N', altitude: '0m', sizes: '' }, { longitude: 'must end with E or W' }],
  ['A', { address: ' ' }, { address: 'must not be empty' }],
] as const)('a form for %s with %j has the problems %j', (type, values, problems) => {
  expect(fieldProblems(type, values)).toEqual(problems);
});

test('any content that the service accepts gives the same record by way of its fields', () => {
  let accepted = 0;
  const anyContent = fc.oneof(
    value,
    fc
      .array(
        fc.oneof(
          word,
          text.map((each) => `"${each}"`),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), anyContent, (type, content) => {
      const stored = parsed(type, content);
      if (!stored) return;
      accepted += 1;
      const values = fieldsOfContent(type, stored.content);
      expect(values).not.toBeNull();
      expect(parsed(type, contentOfFields(type, values!))?.wire).toEqual(stored.wire);
    }),
    { numRuns: effort(4_000, 800) },
  );
  expect(accepted).toBeGreaterThan(effort(50, 10));
});

test('any content that fields give has the same fields, if the service accepts it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('SRV', 'CAA', 'NAPTR', 'URI', 'SVCB', 'TXT' as const),
      fc.array(value, { minLength: 6, maxLength: 6 }),
      (type, typed) => {
        const values = Object.fromEntries(
          fieldsOfType(type as NamedType).map(({ name }, at) => [name, typed[at] as string]),
        );
        const content = contentOfFields(type as NamedType, values);
        if (Object.keys(fieldProblems(type as NamedType, values)).length > 0 || !parsed(type as NamedType, content))
          return;
        const trimmed = Object.fromEntries(
          Object.entries(values).map(([name, each]) => [name, type === 'TXT' ? each : each.trim()]),
        );
        expect(fieldsOfContent(type as NamedType, content)).toEqual(trimmed);
      },
    ),
    { numRuns: effort(4_000, 800) },
  );
});
