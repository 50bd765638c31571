import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalEscapes, hex, rdata, refusal } from './build.ts';

/** The character strings in a TXT's wire form. */
function strings(wire: Uint8Array): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let at = 0; at < wire.length; at += 1 + wire[at]!) all.push(wire.subarray(at + 1, at + 1 + wire[at]!));
  return all;
}

test.each([
  ['an ACME token', 'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0', '"LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0"'],
  ['a token that begins with a hyphen', '-_token', '"-_token"'],
  ['a policy', 'v=spf1 include:_spf.example.com -all', '"v=spf1 include:_spf.example.com -all"'],
  ['semicolons', 'v=DKIM1;k=rsa;p=ABC', '"v=DKIM1;k=rsa;p=ABC"'],
  ['a leading semicolon', '; no comment', '"; no comment"'],
  ['parentheses', '(a)', '"(a)"'],
  ['an apostrophe', "quo'te", '"quo\'te"'],
  ['UTF-8', 'Déjà', '"D\\195\\169j\\195\\160"'],
])('a TXT record takes %s unquoted as one string', (_, content, expected) => {
  expect(rdata('TXT', content)).toMatchObject({ content, rdata: expected });
  expect(strings(rdata('TXT', content).wire)).toHaveLength(1);
});

test.each([
  ['one string', '"a b"', '"a b"'],
  ['several', '"one"  "two"', '"one" "two"'],
  ['several without blank between', '"one""two"', '"one" "two"'],
  ['an empty one', '""', '""'],
  ['blanks around', ' "a" ', '"a"'],
  ['escaped quote and backslash', '"a\\"b\\\\c"', '"a\\"b\\\\c"'],
  ['a needless escape', '"a\\;b\\c"', '"a;bc"'],
  ['decimal escapes', '"\\065\\000\\255"', '"A\\000\\255"'],
  ['a tab', '"a\tb"', '"a\\009b"'],
  ['UTF-8 after a backslash', '"\\é"', '"\\195\\169"'],
])('a TXT record takes %s in quotes', (_, content, expected) => {
  expect(rdata('TXT', content)).toMatchObject({ content, rdata: expected });
});

test('a TXT record is told apart by its strings, not by its spelling', () => {
  expect(rdata('TXT', 'token').wire).toEqual(rdata('TXT', '"\\116oken"').wire);
  expect(rdata('TXT', '"ab"').wire).not.toEqual(rdata('TXT', '"a" "b"').wire);
  expect(hex(rdata('TXT', '"ab" ""').wire)).toBe('02616200');
});

test.each([
  ['nothing', ''],
  ['a quote in an unquoted text', 'a"b'],
  ['a quote at its end', 'right"'],
  ['a backslash in an unquoted text', 'a\\;b'],
  ['an open quote', '"left'],
  ['an open quote after an escaped one', '"left\\"'],
  ['quoted and unquoted mixed', '"a" b'],
  ['a text right after a quote', '"a"b'],
  ['an escape over 255', '"\\256"'],
  ['an escape of two digits', '"\\12"'],
  ['an escape of one digit', '"\\1a"'],
  ['a lone backslash', '"a\\'],
  ['a newline', '"a\nb"'],
  ['a carriage return', 'a\rb'],
  ['a null', '"\0"'],
  ['a delete', 'a\u007f'],
  ['half a surrogate pair', '\ud83d'],
  ['a blank at the end', 'v=spf1 -all '],
  ['a blank at the start', ' v=spf1 -all'],
])('a TXT record refuses %s', (_, content) => {
  expect(refusal('TXT', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});

test('a TXT record shows the quoted form that would be accepted, and accepts it', () => {
  const { message } = refusal('TXT', 'say "hi" \\o/');
  expect(message).toContain('"say \\"hi\\" \\\\o/"');
  expect(strings(rdata('TXT', '"say \\"hi\\" \\\\o/"').wire).map((one) => Buffer.from(one).toString())).toEqual([
    'say "hi" \\o/',
  ]);
});

test('a TXT record splits strings at 255 octets', () => {
  expect(strings(rdata('TXT', 'a'.repeat(255)).wire).map(({ length }) => length)).toEqual([255]);
  expect(strings(rdata('TXT', 'a'.repeat(256)).wire).map(({ length }) => length)).toEqual([255, 1]);
  expect(strings(rdata('TXT', `"${'é'.repeat(255)}" "x"`).wire).map(({ length }) => length)).toEqual([255, 255, 1]);
  expect(rdata('TXT', 'a'.repeat(256)).rdata).toBe(`"${'a'.repeat(255)}" "a"`);
});

test('a TXT record takes 64000 octets on the wire and no more', () => {
  expect(rdata('TXT', 'a'.repeat(250 * 255)).wire).toHaveLength(64_000);
  expect(refusal('TXT', 'a'.repeat(250 * 255 + 1)).message).toContain('64000');
  expect(refusal('TXT', '""'.repeat(64_001)).message).toContain('64000');
  expect(rdata('TXT', '"\\097"'.repeat(16_250)).wire).toHaveLength(32_500);
});

test('a TXT record takes 65000 characters in zone file form and no more', () => {
  const escapes = (octets: number) => `"${'\\000'.repeat(octets)}"`;
  expect(rdata('TXT', escapes(16_100)).wire).toHaveLength(16_100 + 64);
  expect(refusal('TXT', escapes(16_250)).message).toMatch(/at most 65000 are allowed/);
});

test('a TXT record keeps every octet from content to RDATA and back', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }), (parts) => {
      const parsed = rdata('TXT', parts.map((part) => `"${decimalEscapes(part)}"`).join(' '));
      expect(Buffer.concat(strings(parsed.wire))).toEqual(Buffer.concat(parts));
      expect(rdata('TXT', parsed.rdata).wire).toEqual(parsed.wire);
      expect(parsed.rdata).toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});

test('a TXT record keeps any text without quotes and backslashes as its UTF-8 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      fc.pre(!/["\\\p{Cc}]/u.test(text) && text === text.trim());
      expect(Buffer.concat(strings(rdata('TXT', text).wire)).toString()).toBe(text);
    }),
  );
});
