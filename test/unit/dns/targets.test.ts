import { describe, expect, test } from 'vitest';
import type { RecordType } from '#dns/types/index.ts';
import { hex, rdata, refusal } from './build.ts';

const POINTERS: RecordType[] = ['ALIAS', 'CNAME', 'NS', 'PTR'];

describe.each(POINTERS)('the target of %s', (type) => {
  test(`the target of ${type} is absolute with and without final dot, in lower case`, () => {
    const expected = {
      content: 'host.example.net',
      rdata: 'host.example.net.',
      target: 'host.example.net',
      priority: null,
    };
    expect(rdata(type, 'Host.EXAMPLE.net')).toMatchObject(expected);
    expect(rdata(type, 'host.example.net.')).toMatchObject(expected);
    expect(hex(rdata(type, 'A.b.').wire)).toBe('0161016200');
  });

  test(`the target of ${type} has U-labels turned into A-labels`, () => {
    expect(rdata(type, 'bücher.example').rdata).toBe('xn--bcher-kva.example.');
  });

  test(`the target of ${type} keeps the final dot of a single label, and needs it`, () => {
    expect(rdata(type, 'TLD.')).toMatchObject({ content: 'tld.', rdata: 'tld.', target: 'tld' });
    expect(refusal(type, 'tld').message).toContain('"tld."');
  });

  test.each([
    '.',
    '192.0.2.1',
    '192.0.2.1.',
    '2001:db8::1',
    'https://example.com',
    'example.com/path',
    'example.com:443',
    'a b.example.com',
    '10 host.example.com',
    'user@example.com',
    '"host.example.com"',
    'a\\046b.example.com',
    '*.example.com',
    'a..example.com',
    '.example.com',
    'a.example.com..',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(127)}b`,
    '$host.example.com',
    'xn--a.example.com',
  ])(`the target of ${type} is refused as %j`, (content) => {
    expect(refusal(type, content)).toMatchObject({ code: 'bad_request', field: 'content' });
  });

  test(`the target of ${type} takes no priority`, () => {
    expect(refusal(type, 'host.example.net', 10).field).toBe('priority');
  });
});

test.each<RecordType>(['ALIAS', 'CNAME', 'PTR'])('host name syntax allows service labels to %s', (type) => {
  expect(rdata(type, '_x._tcp.example.net').target).toBe('_x._tcp.example.net');
});

test.each<[RecordType, string]>([
  ['NS', '_ns.example.net'],
  ['NS', 'ns-.example.net'],
  ['MX', '_mail.example.net'],
  ['MX', '-mail.example.net'],
  ['SRV', '0 0 1 _sip.example.net'],
])('host name syntax demands letters, digits and inner hyphens of %s: %s', (type, content) => {
  expect(refusal(type, content).message).toContain('letters, digits and inner hyphens');
});

test('an MX record has its priority in a field of its own and in front of the RDATA', () => {
  expect(rdata('MX', 'Mail.example.com.', 5)).toEqual({
    content: 'mail.example.com',
    rdata: '5 mail.example.com.',
    wire: Uint8Array.from([0, 5, 4, ...Buffer.from('mail'), 7, ...Buffer.from('example'), 3, ...Buffer.from('com'), 0]),
    target: 'mail.example.com',
    priority: 5,
  });
});

test.each([undefined, null])('an MX record has priority 10 when it is %s', (priority) => {
  expect(rdata('MX', 'mail.example.com', priority)).toMatchObject({ priority: 10, rdata: '10 mail.example.com.' });
});

test.each([-1, 65_536, 1.5, Number.NaN])('an MX record refuses priority %s', (priority) => {
  expect(refusal('MX', 'mail.example.com', priority).field).toBe('priority');
});

test('an MX record says where a number in the content belongs', () => {
  expect(refusal('MX', '10 mail.example.com').message).toContain('put 10 into "priority"');
});

test('an MX record may be null only with priority 0 (RFC 7505)', () => {
  expect(rdata('MX', '.', 0)).toMatchObject({ content: '.', rdata: '0 .', target: null });
  expect(hex(rdata('MX', '.', 0).wire)).toBe('000000');
  expect(refusal('MX', '.', 10).field).toBe('priority');
  expect(refusal('MX', '.').field).toBe('priority');
});

test('an MX record counts its priority into its identity', () => {
  expect(rdata('MX', 'a.example', 1).wire).not.toEqual(rdata('MX', 'a.example', 2).wire);
});

test('an SRV record is three numbers and a target', () => {
  expect(rdata('SRV', '010  5\t5060 SIP.example.com')).toMatchObject({
    content: '10 5 5060 sip.example.com',
    rdata: '10 5 5060 sip.example.com.',
    target: 'sip.example.com',
    priority: null,
  });
  expect(hex(rdata('SRV', '1 2 65535 a.b').wire)).toBe('00010002ffff0161016200');
});

test('an SRV record keeps its numbers when the service is not offered', () => {
  expect(rdata('SRV', '1 2 3 .')).toMatchObject({ rdata: '1 2 3 .', target: null });
});

test.each([
  '1 2 sip.example.com',
  '1 2 3',
  '1 2 3 4 sip.example.com',
  '1 2 65536 sip.example.com',
  '-1 2 3 sip.example.com',
  '1 2 x sip.example.com',
  '1 2 3 sip',
  '1 2 3 192.0.2.1',
  '1 2 3 a..b',
  '+1 2 3 sip.example.com',
  '1e1 2 3 sip.example.com',
])('an SRV record with %j is refused', (content) => {
  expect(refusal('SRV', content).field).toBe('content');
});
