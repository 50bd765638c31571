// The secret for DNS cookies: nodes behind one address need the same one (RFC 9018), also with different names.
import { expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { knotSettings } from '#nameserver/knot/from-config.ts';
import { KNOT_SETTINGS } from '#nameserver/settings.ts';

const secretOf = (node: string, key?: string, more: Record<string, string> = {}) =>
  knotSettings(readConfig(KNOT_SETTINGS, { ZONESTEAD_KNOT_FOLDER: '/knot', ZONESTEAD_NODE_NAME: node, ...more }), key)
    .cookieSecret;

test('the secret for cookies is the same for nodes with one key, and another one for each key', () => {
  expect(secretOf('ns1', 'yn_a_secret')).toMatch(/^[0-9a-f]{32}$/);
  expect(secretOf('ns2', 'yn_a_secret')).toBe(secretOf('ns1', 'yn_a_secret'));
  expect(secretOf('ns1', 'yn_a_other')).not.toBe(secretOf('ns1', 'yn_a_secret'));
});

test('the secret for cookies is the given one, with and without a key; without both, knotd makes one', () => {
  const given = { ZONESTEAD_KNOT_COOKIE_SECRET: '0123456789abcdef0123456789abcdef' };
  expect([secretOf('ns1', 'yn_a_secret', given), secretOf('ns1', undefined, given)]).toEqual([
    given.ZONESTEAD_KNOT_COOKIE_SECRET,
    given.ZONESTEAD_KNOT_COOKIE_SECRET,
  ]);
  expect(secretOf('ns1')).toBeUndefined();
});
