// Stored values on pages: the difference of an import, the fields of a change, clipped texts and names.
import { expect, test } from 'vitest';
import { changedFields, describeSubject } from '#console/shell/changed-fields.ts';
import { CLIP, clipText, searchTexts, toUnicode, withQuery } from '#console/shell/shown.ts';
import { shownDifference } from '#console/zonefile/difference.ts';
import { parseRecord } from '#dns/record.ts';
import { digestText } from '#service/change/row-writes.ts';
import { diffZone } from '#service/zonefile/diff.ts';
import type { StoredValue } from '#store/zone-values.ts';
import { finish } from '../../support/dns/zone-file.ts';

function parsed(name: string, content: string, ttl: number | null = null) {
  const verdict = parseRecord({ name, type: 'A', content, ttl }, 'example.org');
  if (!verdict.ok) throw new Error(verdict.problem.message);
  return verdict.value;
}

function row(id: string, name: string, content: string, managedBy: string | null = null): StoredValue {
  const { ordername, type, wire, ttl } = parsed(name, content);
  return { id, ordername, type, digest: digestText(wire), ttl, managedBy };
}

test('the difference of an import lists deleted records first, then changed, then created ones, with their managing objects', () => {
  const stored = [row('1', 'a', '192.0.2.1'), row('2', 'b', '192.0.2.2', 'k8s:prod/x/b'), row('3', 'c', '192.0.2.3')];
  const wanted = [parsed('a', '192.0.2.1'), parsed('c', '192.0.2.3', 60), parsed('d', '192.0.2.4')];
  const diff = finish(diffZone(stored, wanted));
  const contents = new Map([
    ['2', { content: '192.0.2.2', priority: null }],
    ['3', { content: '192.0.2.3', priority: null }],
  ]);
  const shown = shownDifference({ serial: 7, ignored: 2, diff, contents }, { defaultTtl: 300 });
  expect(shown).toMatchObject({ serial: 7, created: 1, updated: 1, deleted: 1, unchanged: 1, ignored: 2, more: 0 });
  expect(shown.lines.map(({ name, before, after }) => [name, before, after])).toEqual([
    ['b', '192.0.2.2 (300 s)', null],
    ['c', '192.0.2.3 (300 s)', '192.0.2.3 (60 s)'],
    ['d', null, '192.0.2.4 (300 s)'],
  ]);
  expect(shown.foreign).toEqual({ records: 1, owners: ['k8s:prod/x/b'] });
});

test('the difference of an import stays small for a file of any size, and counts all records', () => {
  const wanted = Array.from({ length: 5_000 }, (_, at) => parsed(`h${at}`, `10.0.${at >> 8}.${at & 255}`));
  const stored = Array.from({ length: 300 }, (_, at) => row(`${at}`, `o${at}`, '192.0.2.1', `k8s:prod/x/o${at}`));
  const shown = shownDifference(
    { serial: 1, ignored: 0, diff: finish(diffZone(stored, wanted)), contents: new Map() },
    { defaultTtl: 60 },
  );
  expect(shown.lines).toHaveLength(100);
  expect(shown.lines.length + shown.more).toBe(5_300);
  expect(shown.foreign?.records).toBe(300);
  expect(shown.foreign?.owners).toHaveLength(6);
});

test('a change of the history shows the fields that changed and no others', () => {
  const before = { id: 'rec_1', name: 'www', type: 'MX', content: 'a', ttl: 60, priority: 10 };
  expect(changedFields(before, { ...before, content: 'b', ttl: 90 })).toEqual([
    { field: 'content', before: 'a', after: 'b' },
    { field: 'ttl', before: '60', after: '90' },
  ]);
  expect(changedFields({ state: 'active' }, { state: 'parked' })).toEqual([
    { field: 'state', before: 'active', after: 'parked' },
  ]);
  expect(changedFields(before, null).map(({ field }) => field)).toEqual(['name', 'type', 'content', 'priority', 'ttl']);
  expect(describeSubject({ before, after: null })).toBe('www MX');
  expect(describeSubject({ before: { state: 'active' }, after: { state: 'parked' } })).toBeNull();
});

test('a change of the history is shown for any stored value', () => {
  for (const odd of [null, 7, 'text', [], { name: 5, content: { deep: true } }]) {
    expect(() => changedFields(odd, odd)).not.toThrow();
    expect(describeSubject({ before: odd, after: odd })).toBeNull();
  }
});

test('texts in a page show the characters that change the direction of the text after them', () => {
  expect(clipText('a\u202eb\u2066c\u202c')).toBe('a[U+202E]b[U+2066]c[U+202C]');
  expect(clipText('\u05d0\u200f')).toBe('\u05d0\u200f');
  expect(clipText('\u202e'.repeat(CLIP))).toBe(`${'[U+202E]'.repeat(CLIP / 8)}…`);
});

test('texts in a page are clipped without leaving half a character', () => {
  expect(clipText('a'.repeat(CLIP))).toHaveLength(CLIP);
  // Escaped, each of these takes five or six octets.
  expect(clipText('&'.repeat(CLIP))).toBe(`${'&'.repeat(CLIP / 6)}…`);
  expect(clipText(`${'a'.repeat(CLIP - 1)}😀`).isWellFormed()).toBe(true);
});

test('texts in a page show internationalised names in their own script, one label at a time', () => {
  expect(toUnicode('_acme-challenge.xn--bcher-kva')).toBe('_acme-challenge.bücher');
  expect(toUnicode('www')).toBeNull();
  expect(toUnicode('xn--')).toBeNull();
  expect(searchTexts('bücher')).toEqual(['bücher', 'xn--bcher-kva']);
  expect(searchTexts('www')).toEqual(['www']);
});

test('texts in a page become an address with the same values', () => {
  expect(withQuery('/a', { q: 'x&y=z', type: undefined, cursor: '' })).toBe('/a?q=x%26y%3Dz');
  expect(withQuery('/a', { q: '' })).toBe('/a');
});
