// The owner of a challenge value of `zonestead acme` has the form that the service accepts, for every name of a machine.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownerOf } from '#cli/acme/owner.ts';
import { owner } from '#contract/owners.ts';

test('the owner names the machine in lower case', () => {
  expect(ownerOf('Web-1.Example.org', 'v')).toBe('acme:hook/web-1.example.org/v');
  expect(ownerOf('a b/ü', 'v')).toBe('acme:hook/a-b--/v');
  expect(ownerOf('', 'v')).toBe('acme:hook/unknown/v');
});

test('the service accepts the owner', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.stringMatching(/^[A-Za-z0-9_-]{1,255}$/),
      (host, value) => {
        expect(owner.safeParse(ownerOf(host, value)).success).toBe(true);
      },
    ),
  );
});
