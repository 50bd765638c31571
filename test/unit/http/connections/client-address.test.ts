// The client's address behind proxies. The peer is trusted only where a test says so; the tests write everything that a
// client can write.
import { expect, test } from 'vitest';
import { matchNetworks } from '#base/networks.ts';
import { clientAddress, forwardedFor, nodeAddress } from '#http/connections/client-address.ts';

const isTrusted = matchNetworks(['10.0.0.0/8', '192.0.2.9', '2001:db8:ffff::/48']);
const of = (peer: string, xForwardedFor: string[]) =>
  clientAddress(peer, { forwarded: ['for=192.0.2.66'], xForwardedFor }, isTrusted, 'X-Forwarded-For');
const ofForwarded = (peer: string, forwarded: string[]) =>
  clientAddress(peer, { forwarded, xForwardedFor: ['192.0.2.66'] }, isTrusted, 'Forwarded');

test.each([
  [['203.0.113.7']],
  [['10.0.0.1, 203.0.113.7']],
  [['203.0.113.7', '10.0.0.1']],
  [['', 'garbage', '127.0.0.1']],
])('an untrusted peer is the client, with any X-Forwarded-For: %j', (values) => {
  expect(of('198.51.100.1', values)).toBe('198.51.100.1');
  const forwarded = values.map((value) => `for=${value}`);
  expect(ofForwarded('198.51.100.1', forwarded)).toBe('198.51.100.1');
});

test.each([
  ['one client', ['203.0.113.7'], '203.0.113.7'],
  ['the client wrote an entry itself: it is further left', ['127.0.0.1, 203.0.113.7'], '203.0.113.7'],
  ['the client named a trusted proxy as itself', ['10.9.9.9, 203.0.113.7'], '203.0.113.7'],
  ['two proxies', ['203.0.113.7, 10.0.0.2'], '203.0.113.7'],
  ['two headers are one list', ['198.51.100.9', '203.0.113.7, 10.0.0.2'], '203.0.113.7'],
  ['all are trusted: the one that is furthest away', ['10.0.0.3, 10.0.0.2'], '10.0.0.3'],
  ['a port', ['203.0.113.7:4711'], '203.0.113.7'],
  ['IPv6', ['2001:DB8::7'], '2001:db8::7'],
  ['IPv6 with brackets and a port', ['[2001:db8::7]:4711'], '2001:db8::7'],
  ['IPv4 in IPv6 form', ['::ffff:203.0.113.7'], '203.0.113.7'],
  ['two proxies of both families', ['203.0.113.7, 2001:db8:ffff::9, 10.0.0.2'], '203.0.113.7'],
  ['a client of the other family', ['2001:db8::7, ::ffff:10.0.0.2, 2001:db8:ffff::9'], '2001:db8::7'],
  ['both addresses of one client: the last one is proven', ['203.0.113.7, 2001:db8::7'], '2001:db8::7'],
  ['an address with a zone in brackets', ['203.0.113.7, [fe80::1%eth0]:4711'], '10.0.0.1'],
  ['a trusted proxy in IPv6 form', ['203.0.113.7, ::ffff:10.0.0.2'], '203.0.113.7'],
  ['nothing', [], '10.0.0.1'],
  ['an empty entry', [''], '10.0.0.1'],
  ['unknown', ['203.0.113.7, unknown'], '10.0.0.1'],
  ['garbage stops the walk', ['203.0.113.7, <script>'], '10.0.0.1'],
  ['garbage further left is not read', ['<script>, 203.0.113.7'], '203.0.113.7'],
  ['numbers that are not an address', ['3405803783'], '10.0.0.1'],
  ['an address with a zone', ['fe80::1%eth0'], '10.0.0.1'],
  ['octets with leading zeros', ['010.000.000.001'], '10.0.0.1'],
])('X-Forwarded-For of a trusted proxy is read: %s', (_, values, client) =>
  expect(of('10.0.0.1', values)).toBe(client),
);

test.each([
  ['10.0.0.1', '203.0.113.7'],
  ['::ffff:10.0.0.1', '203.0.113.7'],
  ['2001:db8:ffff::1', '203.0.113.7'],
  // Its other family is not in the list, so it is a client.
  ['2001:db8:eeee::1', '2001:db8:eeee::1'],
  ['fe80::1%eth0', 'fe80::1'],
])('a proxy that connects from %s names its client if that address is trusted', (peer, client) => {
  expect(of(peer, ['203.0.113.7'])).toBe(client);
  expect(ofForwarded(peer, ['for=203.0.113.7'])).toBe(client);
});

test('X-Forwarded-For of a trusted proxy is read for a limited number of hops', () => {
  expect(of('10.0.0.1', [['203.0.113.7', ...Array(40).fill('10.0.0.2')].join(',')])).toBe('10.0.0.2');
});

test.each([
  ['for=203.0.113.7', '203.0.113.7'],
  ['for=203.0.113.7;proto=https;by=10.0.0.1', '203.0.113.7'],
  ['proto=https; FOR=203.0.113.7', '203.0.113.7'],
  ['for="203.0.113.7:4711"', '203.0.113.7'],
  ['for="[2001:db8::7]:4711"', '2001:db8::7'],
  ['for=127.0.0.1, for=203.0.113.7', '203.0.113.7'],
  ['for=127.0.0.1, for="203.0.113.7", for=10.0.0.2', '203.0.113.7'],
  // A comma in quotation marks separates nothing.
  ['for=203.0.113.7;host="a, for=127.0.0.1"', '203.0.113.7'],
  ['for="\\2\\03.0.113.7"', '203.0.113.7'],
  ['for=unknown', '10.0.0.1'],
  ['for=_hidden, for=unknown', '10.0.0.1'],
  ['for=127.0.0.1, for=_secret', '10.0.0.1'],
  ['proto=https', '10.0.0.1'],
  ['for=203.0.113.7;for=127.0.0.1', '10.0.0.1'],
  ['for="[::ffff:203.0.113.7]:4711"', '203.0.113.7'],
  ['for="[fe80::1%25eth0]"', '10.0.0.1'],
  ['for=203.0.113.7, for="[2001:db8:ffff::9]:4711", for="[::ffff:10.0.0.2]"', '203.0.113.7'],
  ['for="203.0.113.7', '10.0.0.1'],
  ['garbage', '10.0.0.1'],
  ['', '10.0.0.1'],
])('Forwarded of a trusted proxy is read: %s', (value, client) =>
  expect(ofForwarded('10.0.0.1', [value])).toBe(client),
);

test('Forwarded of a trusted proxy in several headers is one list', () => {
  expect(forwardedFor('for=1.1.1.1, for=2.2.2.2')).toEqual(['1.1.1.1', '2.2.2.2']);
  expect(ofForwarded('10.0.0.1', ['for=127.0.0.1', 'for=203.0.113.7'])).toBe('203.0.113.7');
});

test('the header that the proxies do not write counts for nothing: the client may have written it', () => {
  expect(of('10.0.0.1', [])).toBe('10.0.0.1');
  expect(ofForwarded('10.0.0.1', [])).toBe('10.0.0.1');
  expect(ofForwarded('10.0.0.1', ['broken"'])).toBe('10.0.0.1');
});

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['192.0.2.9', true],
  ['192.0.2.10', false],
  ['2001:db8:ffff::1', true],
  ['2001:db8:fffe::1', false],
  ['', false],
])('%s is trusted: %s', (address, trusted) => expect(isTrusted(address)).toBe(trusted));

test.each(['1.2.3.4.5', '1.2.3', '[1.2.3.4]', '[::1', '::1]:80', '1.2.3.4:', 'host', '1.2.3.4:999999'])(
  '%s is not an address of a node',
  (text) => expect(nodeAddress(text)).toBeNull(),
);
