// The owner of a challenge value of `zonestead acme`.
import { expect, test } from 'vitest';
import { buildHookOwner } from '#cli/acme/owner.ts';
import { owner } from '#contract/owners.ts';

test.each([
  ['Web-1.Example.org', 'v', 'acme:hook/web-1.example.org/v'],
  ['a b/ü\n', 'v', 'acme:hook/a-b---/v'],
  ['', '-v_', 'acme:hook/unknown/-v_'],
  ['h'.repeat(300), 'v'.repeat(255), `acme:hook/${'h'.repeat(64)}/${'v'.repeat(255)}`],
])('the owner names the machine %j in a form that the service accepts', (host, value, expected) => {
  expect(buildHookOwner(host, value)).toBe(expected);
  expect(owner.safeParse(expected).success).toBe(true);
});
