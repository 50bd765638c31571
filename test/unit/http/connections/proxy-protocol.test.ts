// The PROXY protocol, octet by octet. The version 2 headers are built by hand from section 2.2 of the specification.
import { expect, test } from 'vitest';
import { readProxyHeader } from '#http/connections/proxy-protocol.ts';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const v2 = (commandByte: number, family: number, body: Buffer, length = body.length) =>
  Buffer.concat([SIGNATURE, Buffer.from([commandByte, family, length >> 8, length & 0xff]), body]);
const IPV4 = Buffer.from('cb007107c0000201' + '1267' + '01bb', 'hex');
const IPV6 = Buffer.from('20010db8000000000000000000000007' + '20010db8000000000000000000000001' + '126701bb', 'hex');
const complete = (length: number, address: string) => ({ state: 'complete', length, source: { address, port: 4711 } });

test.each([
  ['PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n', '203.0.113.7'],
  ['PROXY TCP6 2001:db8::7 2001:db8::1 4711 443\r\n', '2001:db8::7'],
  ['PROXY TCP6 ::ffff:203.0.113.7 ::ffff:192.0.2.1 4711 443\r\n', '::ffff:203.0.113.7'],
])('the header %j of version 1 is read', (line, address) => {
  expect(readProxyHeader(ascii(`${line}GET / HTTP/1.1\r\n`))).toEqual(complete(line.length, address));
});

test('UNKNOWN in version 1 is the proxy itself', () => {
  const line = 'PROXY UNKNOWN ffff::1 anything\r\n';
  expect(readProxyHeader(ascii(line))).toEqual({ state: 'complete', length: line.length, source: null });
});

test('version 1 is incomplete at every cut', () => {
  const line = 'PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n';
  for (let cut = 0; cut < line.length; cut++)
    expect(readProxyHeader(ascii(line.slice(0, cut))).state).toBe('incomplete');
});

test.each([
  'GET / HTTP/1.1\r\n',
  'PROXYTCP4 203.0.113.7 192.0.2.1 4711 443\r\n',
  'proxy TCP4 203.0.113.7 192.0.2.1 4711 443\r\n',
  'PROXY TCP4 203.0.113.7 192.0.2.1 4711\r\n',
  'PROXY TCP4 203.0.113.7 192.0.2.1 4711 443 5\r\n',
  'PROXY TCP4 2001:db8::7 192.0.2.1 4711 443\r\n',
  'PROXY TCP6 203.0.113.7 192.0.2.1 4711 443\r\n',
  'PROXY TCP4 203.0.113.7 192.0.2.1 70000 443\r\n',
  'PROXY TCP4 203.0.113.7 192.0.2.1 04711 443\r\n',
  'PROXY TCP4  203.0.113.7 192.0.2.1 4711 443\r\n',
  'PROXY UDP4 203.0.113.7 192.0.2.1 4711 443\r\n',
  `PROXY TCP4 ${'1'.repeat(200)}`,
  `PROXY UNKNOWN ${'x'.repeat(200)}\r\n`,
])('the header %j of version 1 is refused', (line) => expect(readProxyHeader(ascii(line)).state).toBe('invalid'));

test('version 2 has IPv4 and IPv6, with the fields that load balancers add after the addresses', () => {
  const more = Buffer.from('0400010a', 'hex');
  expect(readProxyHeader(v2(0x21, 0x11, IPV4))).toEqual(complete(28, '203.0.113.7'));
  expect(readProxyHeader(v2(0x21, 0x11, Buffer.concat([IPV4, more])))).toEqual(complete(32, '203.0.113.7'));
  expect(readProxyHeader(v2(0x21, 0x21, IPV6))).toEqual(complete(52, '2001:db8:0:0:0:0:0:7'));
});

test('LOCAL in version 2 is the proxy itself; the octets after it are ignored', () => {
  expect(readProxyHeader(v2(0x20, 0x00, Buffer.alloc(0)))).toEqual({ state: 'complete', length: 16, source: null });
  expect(readProxyHeader(v2(0x20, 0x11, IPV4))).toEqual({ state: 'complete', length: 28, source: null });
});

test('version 2 is incomplete at every cut', () => {
  const header = v2(0x21, 0x21, IPV6);
  for (let cut = 0; cut < header.length; cut++)
    expect(readProxyHeader(header.subarray(0, cut)).state).toBe('incomplete');
});

test.each([
  ['another version', v2(0x11, 0x11, IPV4)],
  ['another command', v2(0x22, 0x11, IPV4)],
  ['UDP', v2(0x21, 0x12, IPV4)],
  ['a Unix socket', v2(0x21, 0x31, Buffer.alloc(216))],
  ['addresses that are cut short', v2(0x21, 0x21, IPV4)],
  ['an announced length of 65,535', v2(0x21, 0x11, IPV4, 65_535)],
  ['a broken signature', Buffer.concat([SIGNATURE.subarray(0, 11), Buffer.from([0x0b, 0x21, 0x11, 0, 12]), IPV4])],
])('a header of version 2 is refused: %s', (_, octets) => expect(readProxyHeader(octets).state).toBe('invalid'));
