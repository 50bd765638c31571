// The configurations for secondaries. That the servers accept and obey them is tested with real ones
// (test/integration/nameserver/knot/secondaries.test.ts); here are the forms that those tests do not use.
import { describe, expect, test } from 'vitest';
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import type { PrimaryTls, PrimaryView } from '#dns/secondaries/primary.ts';

const VIEW: PrimaryView = {
  primaries: [
    { address: '192.0.2.1', port: 53 },
    { address: '2001:db8::1', port: 5300 },
  ],
  key: { name: 'eu.key.test', algorithm: 'hmac-sha512', secret: 'QUJD' },
  zones: null,
  catalog: 'eu.catalog.zonestead.invalid',
};
const PLACE = {
  listen: [
    { address: '0.0.0.0', port: 53 },
    { address: '::', port: 53 },
  ],
  folder: '/var/lib/zonestead',
};
const ALL = { knot: knotConfig, bind: bindConfig, nsd: nsdConfig };

describe.each(Object.entries(ALL))('the configuration for %s', (title, config) => {
  const zones = ['a.test', '0/25.2.0.192.in-addr.arpa'];

  test(`the configuration for ${title} names all primaries with their ports, and the key`, () => {
    const text = config({ ...VIEW, zones }, PLACE);
    for (const part of ['192.0.2.1', '2001:db8::1', '5300', 'eu.key.test', 'hmac-sha512', 'QUJD']) {
      expect(text).toContain(part);
    }
  });

  test(`the configuration for ${title} names no key if there is none`, () => {
    const text = config({ ...VIEW, zones, key: null }, PLACE);
    expect(text).not.toMatch(/key\.test|secret|^key|\bkey:|\bkey "/m);
  });

  test(`the configuration for ${title} has the listed zones instead of the catalog`, () => {
    const text = config({ ...VIEW, zones }, PLACE);
    for (const zone of zones) expect(text).toContain(zone);
    expect(text).not.toContain('catalog');
  });
});

test('the configurations for Knot and BIND follow the catalog without a list', () => {
  for (const config of [knotConfig, bindConfig]) expect(config(VIEW, PLACE)).toContain(VIEW.catalog);
});

test('the configurations for BIND keep the zone files in the folder, also if the name of a zone has a slash', () => {
  const text = bindConfig({ ...VIEW, zones: ['0/25.2.0.192.in-addr.arpa'] }, PLACE);
  expect(text).toContain('file "/var/lib/zonestead/0%2f25.2.0.192.in-addr.arpa.zone";');
});

test('the configurations for BIND listen on both kinds of addresses, or not at all on one', () => {
  const text = bindConfig(VIEW, PLACE);
  expect(text).toContain('listen-on port 53 { 0.0.0.0; };');
  expect(text).toContain('listen-on-v6 port 53 { ::; };');
  expect(bindConfig(VIEW, { ...PLACE, listen: [PLACE.listen[0]!] })).toContain('listen-on-v6 { none; };');
});

test('the configurations for NSD need a list', () => {
  expect(() => nsdConfig(VIEW, PLACE)).toThrow('give the zones by name');
});

const TLS: PrimaryTls = {
  hostName: 'ns.test',
  authorities: '/etc/ca.pem',
  pins: ['cGlu'],
  certificate: { file: '/etc/own.pem', keyFile: '/etc/own.key' },
};
const overTls = (config: (typeof ALL)[keyof typeof ALL], change: Partial<PrimaryTls> = {}) =>
  config({ ...VIEW, zones: ['a.test'], tls: { ...TLS, ...change } }, PLACE);

test('the configurations over TLS name what verifies the name servers, and the certificate of the secondary', () => {
  expect(overTls(knotConfig)).toContain('    tls: on\n    cert-key: [ cGlu ]\n');
  for (const config of [bindConfig, nsdConfig])
    for (const part of ['ns.test', '/etc/ca.pem']) expect(overTls(config)).toContain(part);
  for (const config of Object.values(ALL))
    for (const part of ['/etc/own.pem', '/etc/own.key']) expect(overTls(config)).toContain(part);
});

test('the configurations over TLS use it for every primary', () => {
  expect(overTls(bindConfig).match(/key "eu\.key\.test" tls "zonestead";/g)).toHaveLength(2);
  expect(overTls(nsdConfig).match(/request-xfr: .* eu\.key\.test nodes\n/g)).toHaveLength(2);
  expect(overTls(knotConfig).match(/tls: on/g)).toHaveLength(2);
});

test('the configurations over TLS are refused without the pins or the name of the name servers', () => {
  expect(() => overTls(knotConfig, { pins: [] })).toThrow('verifies the pins');
  for (const config of [bindConfig, nsdConfig])
    expect(() => overTls(config, { hostName: null })).toThrow('verifies the name in the certificates');
});

test('the configurations over TLS use the authorities of the system, and show no certificate, if none is named', () => {
  for (const config of Object.values(ALL))
    expect(overTls(config, { authorities: null, certificate: null })).not.toMatch(
      /\/etc|null|undefined|bundle|cert-file/,
    );
});
