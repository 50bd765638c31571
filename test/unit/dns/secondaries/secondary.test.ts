// The checks of a secondary.
import { expect, test } from 'vitest';
import { checkedSecondaries, checkedSecondary, type Secondary, tsigSecretOctets } from '#dns/secondaries/secondary.ts';

const SECRET = Buffer.alloc(32, 's').toString('base64');
const BASE: Secondary = {
  name: 'eu',
  addresses: [{ address: '192.0.2.1', port: 53 }],
  key: { name: 'eu.key.test', algorithm: 'hmac-sha256', secret: SECRET },
  zones: 'all',
  catalog: true,
  notify: true,
};
const withKey = (change: object) => ({ ...BASE, key: { ...BASE.key!, ...change } });

test('a secondary gets its addresses in canonical form, so that they compare equal to those that knotd prints', () => {
  const { addresses, transfersFrom } = checkedSecondary({
    ...BASE,
    addresses: [{ address: '2001:DB8:0:0::1', port: 53 }],
    transfersFrom: ['2001:db8::0002'],
  });
  expect(addresses).toEqual([{ address: '2001:db8::1', port: 53 }]);
  expect(transfersFrom).toEqual(['2001:db8::2']);
});

test('a secondary may transfer from networks, with a key', () => {
  const transfersFrom = ['10.244.0.0/16', '2001:DB8:0::/64', '192.0.2.7/32', '0.0.0.0/0', '::/0'];
  expect(checkedSecondary({ ...BASE, transfersFrom }).transfersFrom).toEqual([
    '10.244.0.0/16',
    '2001:db8::/64',
    '192.0.2.7',
    '0.0.0.0/0',
    '::/0',
  ]);
  expect(() => checkedSecondary({ ...BASE, transfersFrom, key: null })).toThrow(
    'transfers from the network 10.244.0.0/16 need a TSIG key',
  );
});

test.each<[string, Secondary, string]>([
  ['name', { ...BASE, name: 'EU; drop' }, 'the name must have 1 to 32'],
  ['number of addresses', { ...BASE, addresses: [] }, 'at least one address'],
  ['address', { ...BASE, addresses: [{ address: 'ns.test', port: 53 }] }, 'must be an IPv4 or IPv6 address'],
  ['address on one machine', { ...BASE, addresses: [{ address: 'fe80::1%eth0', port: 53 }] }, 'has a zone id'],
  ['mapped address', { ...BASE, addresses: [{ address: '::ffff:c000:201', port: 53 }] }, 'IPv6; write 192.0.2.1'],
  ['transfer address on one machine', { ...BASE, transfersFrom: ['fe80::1%eth0'] }, 'has a zone id'],
  ['network on one machine', { ...BASE, transfersFrom: ['fe80::%eth0/64'] }, 'has a zone id'],
  ['mapped transfer address', { ...BASE, transfersFrom: ['::ffff:192.0.2.7'] }, 'IPv6; write 192.0.2.7'],
  ['mapped network', { ...BASE, transfersFrom: ['::ffff:192.0.2.0/120'] }, 'write "192.0.2.0/24"'],
  ['port', { ...BASE, addresses: [{ address: '192.0.2.1', port: 0 }] }, 'must be a number from 1 to 65535'],
  ['transfer address', { ...BASE, transfersFrom: ['pods'] }, 'must be an IPv4 or IPv6 address'],
  ['network', { ...BASE, transfersFrom: ['10.244.0.1/16'] }, 'write "10.244.0.0/16"'],
  ['name of a key', withKey({ name: 'a"; };' }), 'must be a domain name in lower case'],
  ['algorithm', withKey({ algorithm: 'hmac-md5' }), 'must be one of hmac-sha256, hmac-sha384, hmac-sha512'],
  ['form of the secret', withKey({ secret: `${SECRET}"` }), '32 octets or more in base64'],
  ['length of the secret', withKey({ secret: 'QUJD' }), '32 octets or more in base64'],
])('a secondary with a wrong %s is refused', (_, secondary, message) => {
  expect(() => checkedSecondary(secondary)).toThrow(message);
  try {
    checkedSecondary(secondary);
  } catch (error) {
    expect(String(error)).not.toContain(secondary.key!.secret);
  }
});

test('a secondary shares neither its name nor its key with another', () => {
  expect(() => checkedSecondaries([BASE, BASE])).toThrow('two secondaries have the name "eu"');
  expect(() => checkedSecondaries([BASE, { ...BASE, name: 'us' }])).toThrow('eu and us have the same TSIG key');
  expect(checkedSecondaries([BASE, { ...BASE, name: 'us', key: null }]).length).toBe(2);
});

// RFC 8945 section 6 advises against secrets that are shorter than the output of the hash.
test.each([
  ['hmac-sha256', 32],
  ['hmac-sha384', 48],
  ['hmac-sha512', 64],
])('a new secret for %s has the %i octets of its hash', (algorithm, octets) => {
  expect(tsigSecretOctets(algorithm)).toBe(octets);
});
