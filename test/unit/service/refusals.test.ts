// The catalogue of refusals, and the refusals that are created from it.
import { expect, test } from 'vitest';
import { Refusal, refusal, toIssuesRefusal } from '#service/refusal.ts';
import { CATALOGUE, SUBJECTS } from '#service/refusals/catalogue.ts';

test('the catalogue lists each rule under exactly one subject', () => {
  const ids = Object.values(SUBJECTS).flatMap((rules) => Object.keys(rules));
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(Object.keys(CATALOGUE).sort()).toEqual([...ids].sort());
});

test.each(Object.entries(CATALOGUE))(
  'the catalogue has a complete sentence for %s, or an explanation for the reference page',
  (_, rule) => {
    expect('about' in rule ? rule.about : rule.sentence).toMatch(/[.)}]$/);
  },
);

test('a refusal has the code, the field and the sentence of its rule, with its parameters filled in', () => {
  const { code, field, message } = refusal('zone-exists', { name: 'example.org' });
  expect([code, field, message]).toEqual(['conflict', 'zoneName', 'zoneName: example.org exists already.']);
});

test('a refusal does not replace placeholders inside a parameter', () => {
  expect(refusal('team-name-taken', { name: '"{name} $& $1"' }).sentence).toBe(
    'the name "{name} $& $1" is taken; choose another one.',
  );
});

test('a refusal for a part of an input names the path of the part before its field, or the part if it has no field', () => {
  expect(refusal('no-record', {}, { field: 'id' }).within('changes.3').message).toBe(
    'changes.3.id: No such record in this zone.',
  );
  expect(refusal('no-team').within('changes.3').field).toBe('changes.3');
});

test('a refusal for several fields has a sentence for each field, and no sentence twice', () => {
  const issues = [
    { path: ['name'], message: 'is missing' },
    { path: ['ttl'], message: 'is too low' },
    { path: ['ttl'], message: 'is too low' },
  ];
  expect(toIssuesRefusal(issues).message).toBe('name: is missing. ttl: is too low.');
});

test('a refusal for the whole of an input has no field, and the sentence of a part has no subject', () => {
  const issue = { path: [], message: 'must be a JSON object' };
  expect(toIssuesRefusal([issue])).toMatchObject({ field: null, message: 'The request must be a JSON object.' });
  expect(toIssuesRefusal([issue], 'invalid-value').within('changes.3').message).toBe(
    'changes.3: must be a JSON object.',
  );
});

test('a refusal names each unknown field, up to ten and each clipped', () => {
  const keys = Array.from({ length: 30 }, (_, at) => `${at}-${'x'.repeat(200)}`);
  const refused = toIssuesRefusal([
    { path: ['record'], message: 'has unknown fields', code: 'unrecognized_keys', keys },
  ]);
  expect([refused, ...refused.others].map(({ field }) => field)).toEqual(
    keys.slice(0, 10).map((key) => `record.${key.slice(0, 100)}`),
  );
  expect(refused.sentence).toBe('is unknown; remove it, or correct its spelling.');
});

test('a refusal for a value of a wrong type says nothing about its size', () => {
  const issues = [
    { path: ['ids'], message: 'must be a list', code: 'invalid_type' },
    { path: ['ids'], message: 'must have at most 3 entries', code: 'too_big' },
    { path: ['name'], message: 'must not be empty', code: 'too_small' },
  ];
  expect(toIssuesRefusal(issues).message).toBe('ids: must be a list. name: must not be empty.');
});

test('a refusal is the same after it was stored as JSON', () => {
  const refused = refusal(
    'duplicate',
    { problem: 'It exists.' },
    { field: 'content', records: ['rec_1'], owner: 'a:b', value: 'x' },
  );
  const kept = new Refusal(JSON.parse(JSON.stringify(refused.toData())));
  expect(kept.toData()).toEqual(refused.toData());
  expect([kept.code, kept.message]).toEqual(['conflict', 'content: It exists.']);
});
