import { expect, test } from 'vitest';
import { hex, rdata, refusal } from './build.ts';

test.each([
  ['0 issue "letsencrypt.org"', '0 issue "letsencrypt.org"'],
  ['0 issue letsencrypt.org', '0 issue "letsencrypt.org"'],
  ['128 ISSUE "ca.example"', '128 issue "ca.example"'],
  ['000  issuewild\t";"', '0 issuewild ";"'],
  ['0 issue ""', '0 issue ""'],
  ['0 issue "ca1.example.net; account=230123"', '0 issue "ca1.example.net; account=230123"'],
  ['0 issue "ca.example;"', '0 issue "ca.example;"'],
  [
    '0 issue "ca.example; validationmethods=dns-01; accounturi=https://ca.example/acct/1"',
    '0 issue "ca.example; validationmethods=dns-01; accounturi=https://ca.example/acct/1"',
  ],
  ['0 issue "; policy=ev"', '0 issue "; policy=ev"'],
  ['0 issuemail "ca.example"', '0 issuemail "ca.example"'],
  ['0 iodef "mailto:security@example.com"', '0 iodef "mailto:security@example.com"'],
  ['0 iodef "https://iodef.example.com/"', '0 iodef "https://iodef.example.com/"'],
  ['0 tbs "Unknown \\"text\\" \\255"', '0 tbs "Unknown \\"text\\" \\255"'],
  ['0 "issue" "ca.example"', '0 issue "ca.example"'],
])('a CAA record with %s is accepted', (content, expected) => {
  expect(rdata('CAA', content)).toMatchObject({ content: expected, rdata: expected, target: null });
});

test('a CAA record has flags, tag length, tag and value on the wire (RFC 8659 section 4.1)', () => {
  expect(hex(rdata('CAA', '128 issue "a.b"').wire)).toBe(`8005${Buffer.from('issuea.b').toString('hex')}`);
});

test.each([
  '0 issue',
  'issue "ca.example"',
  '0 issue "ca.example" more',
  '0 issue ca.example; account=1',
  '0 issue ;',
  '1 issue "ca.example"',
  '127 issue "ca.example"',
  '256 issue "ca.example"',
  '-1 issue "ca.example"',
  'x issue "ca.example"',
  '0 is-sue "ca.example"',
  '0 "" "ca.example"',
  '0 issue "ca.example',
  '0 issue "ca.example"x',
  '0 issue "ca..example"',
  '0 issue "-ca.example"',
  '0 issue "ca.example."',
  '0 issue "https://ca.example"',
  '0 issue "ca.example account=1"',
  '0 issue "ca.example; account"',
  '0 issue "ca.example; =1"',
  '0 issue "ca.example; a=1;"',
  '0 issue "ca.example; a=b c"',
  '0 issue "cä.example"',
  '0 iodef "security@example.com"',
  '0 iodef "mailto:nobody"',
  '0 iodef "mailto:a@b@c"',
  '0 iodef "ftp://example.com"',
  '0 iodef "https://"',
  '0 iodef ""',
  `0 ${'a'.repeat(256)} "x"`,
])('a CAA record with %j is refused', (content) => {
  expect(refusal('CAA', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});

test('a CAA record is quoted in a refusal as its writer typed it', () => {
  expect(refusal('CAA', '0 issue "cä.example"').message).toContain('The value "cä.example" is');
  expect(refusal('CAA', '0 ïd "x"').message).toContain('The CAA tag "ïd" is');
});
