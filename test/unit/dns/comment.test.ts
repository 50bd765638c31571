// The rule about comments of records and zones.
import { expect, test } from 'vitest';
import { MAX_COMMENT, parseComment } from '#dns/comment.ts';

test('blanks around a comment are removed, and nothing else of it', () => {
  expect(parseComment('  the  mail server <b>of</b> Zoë ')).toEqual({
    ok: true,
    value: 'the  mail server <b>of</b> Zoë',
  });
});

test('null, an empty text and blanks are not a comment', () => {
  for (const text of [null, '', ' ', ' \t\n ']) expect(parseComment(text)).toEqual({ ok: true, value: null });
});

test('characters are counted as people see them in Unicode, and the refusal names the limit', () => {
  // Two UTF-16 units and four octets each.
  expect(parseComment('😀'.repeat(MAX_COMMENT)).ok).toBe(true);
  expect(parseComment('😀'.repeat(MAX_COMMENT + 1))).toMatchObject({
    ok: false,
    problem: { field: 'comment', message: 'The comment has 501 characters; write at most 500.' },
  });
});

test('control characters, line breaks and hidden changes of direction are refused by their code', () => {
  for (const [text, code] of [
    ['a\nb', 'U+000A'],
    ['a\rb', 'U+000D'],
    ['a\tb', 'U+0009'],
    ['a\u0000b', 'U+0000'],
    ['a\u007fb', 'U+007F'],
    ['a\u0085b', 'U+0085'],
    ['a\u2028b', 'U+2028'],
    ['a\ud800b', 'U+D800'],
    ['a\u202eb', 'U+202E'],
  ] as const) {
    const read = parseComment(text);
    expect(read).toMatchObject({ ok: false, problem: { code: 'bad_request', field: 'comment' } });
    expect(read.ok ? '' : read.problem.message).toContain(code);
  }
});
