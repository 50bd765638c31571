// Which connections are protected from their client to this process.
import { expect, test } from 'vitest';
import { type ClientConnection, isProtected } from '#http/connections/encrypted.ts';

const plain: ClientConnection = {
  isEncrypted: false,
  peer: '192.0.2.1',
  own: '192.0.2.9',
  isTrustedProxy: false,
  proxyHeader: 'X-Forwarded-For',
  client: '192.0.2.1',
  xForwardedProto: [],
  forwarded: [],
};
const proxy: ClientConnection = { ...plain, isTrustedProxy: true, client: '203.0.113.7' };
const rfc7239: ClientConnection = { ...proxy, proxyHeader: 'Forwarded' };
const local: ClientConnection = { ...plain, peer: '127.0.0.1', own: '127.0.0.1', client: '127.0.0.1' };

test.each<[string, ClientConnection]>([
  ['with TLS', { ...plain, isEncrypted: true }],
  ['from a loopback address', local],
  ['from a loopback address of IPv6', { ...local, peer: '::1', own: '::1', client: '::1' }],
  ['from a loopback address in IPv6 form', { ...local, peer: '::ffff:127.0.0.6', client: '127.0.0.6' }],
  ['from the address that it connects to', { ...plain, own: '192.0.2.1' }],
  ['over a trusted proxy that says https', { ...proxy, xForwardedProto: ['https'] }],
  ['over two of them', { ...proxy, xForwardedProto: ['https, HTTPS'] }],
  ['with Forwarded', { ...rfc7239, forwarded: ['for=203.0.113.7;proto=https;by=10.0.0.1'] }],
  ['with a quoted value', { ...rfc7239, forwarded: ['proto="https"'] }],
  ['with TLS from a trusted proxy that names no protocol', { ...proxy, isEncrypted: true }],
])('a connection is protected: %s', (_, connection) => expect(isProtected(connection)).toBe(true));

test.each<[string, ClientConnection]>([
  ['from another machine', plain],
  ['if the client itself says https', { ...plain, xForwardedProto: ['https'], forwarded: ['proto=https'] }],
  ['if one proxy on the way says http', { ...proxy, xForwardedProto: ['https, http'] }],
  ['if the client reached the first proxy without TLS', { ...proxy, xForwardedProto: ['http', 'https'] }],
  ['if only the header that proxies do not write says https', { ...proxy, forwarded: ['proto=https'] }],
  ['or the other one', { ...rfc7239, xForwardedProto: ['https'] }],
  ['if Forwarded is malformed', { ...rfc7239, forwarded: ['proto="https'] }],
  ['over a trusted proxy that names no protocol', proxy],
  ['if a client without TLS came to a proxy that uses TLS', { ...proxy, isEncrypted: true, xForwardedProto: ['http'] }],
  [
    'if it comes from elsewhere over a proxy on this machine',
    { ...local, isTrustedProxy: true, client: '203.0.113.7' },
  ],
  ['if its address is unknown', { ...local, peer: '', own: '', client: '' }],
])('a connection is not protected: %s', (_, connection) => expect(isProtected(connection)).toBe(false));
