// The addresses that may be asked because NS records of other zones name them.
import { expect, test } from 'vitest';
import { publicAddresses } from '#base/public-address.ts';

test.each([
  ...[
    '0.0.0.0',
    '10.96.0.10',
    '100.64.0.1',
    '127.0.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.7'],
  ...['203.0.113.9', '224.0.0.251', '239.1.2.3', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a60:a', '64:ff9b::a00:1', '64:ff9b:1::1', '100::1'],
  ...[
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::fb',
  ],
])('an address that is not public is never asked: %s', (address) => expect(publicAddresses()(address)).toBe(false));

test.each([
  ...['1.1.1.1', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '126.0.0.1', '128.0.0.1', '169.253.0.1'],
  ...['172.15.255.255', '172.32.0.1', '192.0.1.1', '192.167.0.1', '198.17.0.1', '198.20.0.1', '223.255.255.255'],
  ...['2001:4860:4860::8888', '2a00:1450::1', '2606:4700::1'],
])('a public address is asked: %s', (address) => expect(publicAddresses()(address)).toBe(true));

test('an exception allows its network and no other address', () => {
  const may = publicAddresses(['10.1.0.0/16', 'fd00::/8']);
  expect(['10.1.2.3', 'fd12::1', '8.8.8.8'].map(may)).toEqual([true, true, true]);
  expect(['10.2.0.1', 'fc00::1', '127.0.0.1'].map(may)).toEqual([false, false, false]);
});
