// The callers of `zonestead acme` and their orders, as the documentation of each client describes its calls of a hook.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readOrder } from '#cli/acme/caller.ts';

const VALUE = '-HDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM';
const at = (name: string, value = VALUE) => ({ name, value });
const one = [at('_acme-challenge.example.org')];

test.each([
  ['lego', ['present', '_acme-challenge.Example.org.', VALUE], { kind: 'present', challenges: one, more: false }],
  ['lego', ['cleanup', '_acme-challenge.example.org.', VALUE], { kind: 'cleanup', challenges: one }],
  [
    'dehydrated',
    ['deploy_challenge', 'example.org', 'token', VALUE],
    { kind: 'present', challenges: one, more: false },
  ],
  ['dehydrated', ['clean_challenge', 'example.org', 'token', VALUE], { kind: 'cleanup', challenges: one }],
  ['dehydrated', ['deploy_cert', 'example.org', '/k', '/c'], { kind: 'ignore' }],
  ['dehydrated', ['exit_hook'], { kind: 'ignore' }],
  ['dehydrated', ['this_hookscript_is_broken__dehydrated_is_working_fine'], { kind: 'ignore' }],
  ['uacme', ['begin', 'dns-01', 'example.org', 'token', VALUE], { kind: 'present', challenges: one, more: false }],
  ['uacme', ['done', 'dns-01', 'example.org', 'token', VALUE], { kind: 'cleanup', challenges: one }],
  ['uacme', ['failed', 'dns-01', 'example.org', 'token', VALUE], { kind: 'cleanup', challenges: one }],
  ['acme.sh', ['add', '_acme-challenge.example.org', VALUE], { kind: 'present', challenges: one, more: false }],
  ['acme.sh', ['rm', '_acme-challenge.example.org', VALUE], { kind: 'cleanup', challenges: one }],
])('the arguments of %s identify it: %j', (_, words, order) => expect(readOrder(words, {})).toEqual(order));

test('the arguments identify lego in raw mode: the value is the digest of the key authorization (RFC 8555 8.4)', () => {
  const value = createHash('sha256').update('token.thumb').digest('base64url');
  expect(readOrder(['present', '--', 'example.org', 'token', 'token.thumb'], {})).toEqual({
    kind: 'present',
    challenges: [at('_acme-challenge.example.org', value)],
    more: false,
  });
});

test('the arguments identify dehydrated with HOOK_CHAIN: all challenges at once', () => {
  const words = ['deploy_challenge', 'a.example', 't', 'v1', '*.b.example', 't', '-v2'];
  expect(readOrder(words, {})).toMatchObject({
    challenges: [at('_acme-challenge.a.example', 'v1'), at('_acme-challenge.b.example', '-v2')],
  });
});

const environment = { CERTBOT_DOMAIN: 'example.org', CERTBOT_VALIDATION: VALUE };
test('certbot requests a value, and its environment tells whether further values follow', () => {
  expect(readOrder([], environment)).toEqual({ kind: 'present', challenges: one, more: false });
  expect(readOrder([], { ...environment, CERTBOT_REMAINING_CHALLENGES: '2' })).toMatchObject({ more: true });
  expect(readOrder([], { ...environment, CERTBOT_REMAINING_CHALLENGES: '0' })).toMatchObject({ more: false });
});
test('certbot cleans up if the first hook has output, even empty output', () => {
  expect(readOrder([], { ...environment, CERTBOT_AUTH_OUTPUT: '' })).toEqual({ kind: 'cleanup', challenges: one });
});

test.each([
  [[], /calling ACME client is unknown/],
  [['presnt', 'x', 'y'], /"presnt" is not a request of an ACME client/],
  [['present', 'x'], /needs a name and a value/],
  [['present', 'x', 'y', 'z'], /needs a name and a value/],
  [['present', '--', 'x', 'y'], /EXEC_MODE=RAW/],
  [['deploy_challenge', 'x', 'y'], /for each challenge/],
  [['present', 'x', 'a b'], /"a b" is not the value of a DNS-01 challenge/],
  [['deploy_challenge', 'x', 't', 'v'.repeat(256)], /is not the value of a DNS-01 challenge/],
  [['begin', 'http-01', 'example.org', 'token', VALUE], /http-01 cannot be solved with DNS/],
])('the order %j is rejected with a message', (words, message) => expect(() => readOrder(words, {})).toThrow(message));
