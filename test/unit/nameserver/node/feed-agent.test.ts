// The networks of NO_PROXY, which the proxy agent of the connections to the api does not read.
import { expect, test } from 'vitest';
import { listExceptions } from '#nameserver/node/feed-agent.ts';

test.each([
  ['https://[fd00::7]:8443', '.svc,fd00::/8', '.svc,fd00::/8,fd00::7'],
  ['https://10.96.0.9', '10.0.0.0/8', '10.0.0.0/8,10.96.0.9'],
  ['https://10.96.0.9', 'fd00::/8 10.96.0.0/12', 'fd00::/8 10.96.0.0/12,10.96.0.9'],
])('%s is reached without a proxy with NO_PROXY=%s', (url, noProxy, exceptions) => {
  expect(listExceptions(url, noProxy)).toBe(exceptions);
});

test.each([
  ['https://[2001:db8::7]', 'fd00::/8'],
  ['https://10.96.0.9', '::/0'],
  ['https://[fd00::7]', 'fd00::7'],
  ['https://dns.example.net', '0.0.0.0/0,::/0'],
  ['https://10.96.0.9', '10.96.0.1/12,svc/10,fe80::%eth0/64'],
  ['https://10.96.0.9', ''],
])('%s is judged by the proxy agent alone with NO_PROXY=%s', (url, noProxy) => {
  expect(listExceptions(url, noProxy)).toBeNull();
});
