// The entries of a history: authors, objects, values, and the changes of one request as one group.
import { describe, expect, test } from 'vitest';
import { groupHistory } from '#console/zones/history-entries.ts';
import type { KeyName } from '#service/keys/names.ts';
import type { ChangeView } from '#service/zones/history.ts';
import { render } from '../../support/console/render.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const RECORD = { id: 'rec_1', name: 'www', type: 'A', content: '192.0.2.1', ttl: 3600, priority: null };

const change = (more: Partial<ChangeView> = {}): ChangeView => ({
  id: 7,
  action: 'record.create',
  keyId: 'key1',
  before: null,
  after: RECORD,
  serial: 10,
  requestId: 'request1',
  at: '2026-11-21T11:57:00.000Z',
  ...more,
});
const key = (more: Partial<KeyName> = {}): KeyName => ({
  id: 'key1',
  name: 'certificates',
  email: null,
  team: 'red',
  lastUsedBy: 'curl/8.5.0 (linux)',
  ...more,
});
const groups = (changes: ChangeView[], ...keys: KeyName[]) =>
  groupHistory(changes, new Map(keys.map((each) => [each.id, each])), NOW);
const author = (more: Partial<ChangeView>, ...keys: KeyName[]) => {
  const [group] = groups([change(more)], ...keys);
  return [group?.author.name, group?.author.by, group?.author.owner];
};
const entry = (more: Partial<ChangeView>) => groups([change(more)])[0]?.entries[0];

test('a request whose changes may be on two pages is undone as a whole', () => {
  const changes = ['a', 'b', 'c'].map((requestId, at) => change({ id: 3 - at, requestId }));
  const undoOf = (more?: { newer: boolean; older: boolean }) =>
    groupHistory(changes, new Map(), NOW, more).map(({ isCut, undo }) => [isCut, undo]);
  const alone = [3, 2, 1].map((id) => [false, `change=${id}`]);
  expect(undoOf()).toEqual(alone);
  expect(undoOf({ newer: true, older: false })).toEqual([[true, 'requestId=a'], alone[1], alone[2]]);
  expect(undoOf({ newer: false, older: true })).toEqual([alone[0], alone[1], [true, 'requestId=c']]);
});

describe('a request with many changes', () => {
  const of = (count: number, more: Partial<ChangeView> = {}) =>
    Array.from({ length: count }, (_, at) => change({ id: count - at, ...more }));
  const size = (changes: ChangeView[], counts?: Map<string, number>) =>
    groupHistory(changes, new Map(), NOW, { newer: false, older: counts !== undefined }, counts).map(
      ({ total, summary }) => [total, summary],
    );

  test('a request with many changes has one line that counts them, also those of other pages', () => {
    expect(size(of(3))).toEqual([[3, null]]);
    expect(size(of(4))).toEqual([[4, 'Created 4 records']]);
    expect(size(of(40), new Map([['request1', 1_072]]))).toEqual([[1_072, 'Created 1,072 records']]);
  });
  test('a request with many changes of several kinds is not called by one of them', () =>
    expect(size([...of(3), ...of(2, { action: 'record.delete', before: RECORD, after: null })])).toEqual([
      [5, '5 changes'],
    ]));
  test('a request with many changes shows three, folds the others, and undoes all', () => {
    const [group] = groupHistory(of(40), new Map(), NOW, { newer: false, older: true }, new Map([['request1', 72]]));
    const text = render('zones/history-group', { group, home: '/z', maxUnfolded: 3 });
    expect(text.split('<details class="rest">')[0]?.match(/class="entry"/g)).toHaveLength(4);
    expect(text).toContain('Show 37 more');
    expect(text).toMatch(/>Undo all 72</);
  });
});

describe('changes that were undone', () => {
  const undoneOf = (changes: ChangeView[]) => groups(changes).map(({ undone }) => undone);
  const [first, second] = [change({ id: 1, requestId: 'a' }), change({ id: 2, requestId: 'b' })];

  test('changes that were undone are marked, and others are not', () =>
    expect(undoneOf([change({ id: 3, requestId: 'c', undoes: [1] }), second, first])).toEqual([null, null, 'undone']));
  test('changes that were undone are in effect again if their undo was undone', () =>
    expect(
      undoneOf([
        change({ id: 4, requestId: 'd', undoes: [3] }),
        change({ id: 3, requestId: 'c', undoes: [1] }),
        second,
        first,
      ]),
    ).toEqual([null, 'undone', null, null]));
  test('changes that were undone show if only some changes of a request were undone', () =>
    expect(undoneOf([change({ id: 3, undoes: [1], requestId: 'c' }), { ...second, requestId: 'a' }, first])).toEqual([
      null,
      'partly undone',
    ]));
});

test('the author of a change is a person in the console', () =>
  expect(author({}, key({ email: 'ada@example.org', name: 'console' }))).toEqual(['ada@example.org', 'console', null]));
test('the author of a change is a person with a key', () =>
  expect(author({}, key({ email: 'ada@example.org', name: 'laptop' }))).toEqual([
    'ada@example.org',
    'key laptop',
    null,
  ]));
test('the author of a change is a key of a team, with the program that used it', () =>
  expect(author({}, key())).toEqual(['certificates', 'curl', null]));
test('the author of a change is a deleted key', () => expect(author({})).toEqual(['a deleted key', null, null]));
test('the author of a change is the service', () =>
  expect(author({ keyId: 'service' })).toEqual(['the service', null, null]));
test('the author of a change is a key for the object of a cluster, which is named in words', () =>
  expect(author({ owner: 'k8s:prod/shop/www' }, key())[2]).toBe('DNSRecord shop/www in the cluster prod'));
test('the author of a change is a key for another owner', () =>
  expect(author({ owner: 'acme:lego' }, key())[2]).toBe('acme:lego'));

test('a change that creates a record has its value with the priority, and the rest as details', () => {
  expect(
    entry({ after: { ...RECORD, type: 'MX', content: 'mail.example', priority: 10, comment: 'new' } }),
  ).toMatchObject({
    verb: 'Created',
    subject: { type: 'MX', name: 'www' },
    value: { text: '10 mail.example', isGone: false },
    fields: [],
    others: [
      { field: 'ttl', text: '3600' },
      { field: 'comment', text: 'new' },
    ],
  });
});
test('a change that deletes a record has the old value', () => {
  const gone = { verb: 'Deleted', value: { text: '192.0.2.1', isGone: true } };
  expect(entry({ action: 'record.delete', before: RECORD, after: null })).toMatchObject(gone);
});
test('a change that changes a record has only the fields that differ', () => {
  const after = { ...RECORD, content: '192.0.2.2' };
  expect(entry({ action: 'record.update', before: RECORD, after })).toMatchObject({
    verb: 'Changed',
    value: null,
    fields: [{ field: 'content', before: '192.0.2.1', after: '192.0.2.2' }],
  });
});
test('a change that parks a zone needs no more words than the verb', () => {
  const states = { before: { state: 'active' }, after: { state: 'parked' } };
  expect(entry({ action: 'zone.park', ...states })).toMatchObject({ verb: 'Parked', subject: null, fields: [] });
  expect(entry({ action: 'zone.restore', before: null, after: {} })).toMatchObject({
    verb: 'Restored',
    subject: null,
  });
});
test('a change with a JSON of another form is shown without a value', () => {
  expect(entry({ after: 'text' })).toMatchObject({ verb: 'Created', subject: null, value: null });
});

test('the changes of one request are one group, and those of another one are not', () => {
  const ids = groups([
    change({ id: 5, requestId: 'b' }),
    change({ id: 4, requestId: 'a' }),
    change({ id: 3, requestId: 'a' }),
    change({ id: 2, requestId: 'a', owner: 'acme:lego' }),
  ]).map(({ entries }) => entries.map(({ id }) => id));
  expect(ids).toEqual([[5], [4, 3], [2]]);
});

const undo = (...changes: Partial<ChangeView>[]) => groups(changes.map(change)).map((group) => group.undo);
test('the undo of a group names a single change by its number', () => expect(undo({ id: 7 })).toEqual(['change=7']));
test('the undo of a group names several changes by their request', () =>
  expect(undo({ id: 8 }, { id: 7 })).toEqual(['requestId=request1']));
test('the undo of a group does not exist for changes of the zone itself', () => {
  expect(undo({ action: 'zone.park', before: { state: 'active' }, after: { state: 'parked' } })).toEqual([null]);
});
test('the undo of a group is marked in the history, like a restore', () => {
  const marks = groups([change({ requestId: 'a', undoes: [3] }), change({ restoredTo: '2026-11-20T10:00:00.000Z' })]);
  expect(marks.map(({ mark }) => mark)).toEqual(['undo', 'restored to 2026-11-20 10:00:00 UTC']);
});
