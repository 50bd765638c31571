import { expect, test } from 'vitest';
import { createSenders } from '#doors/dns-update/senders.ts';
import type { Actor } from '#service/accounts/actor.ts';

const actor = (keyId: string) => ({ keyId }) as Actor;

test('an address is known for ten seconds after its last update, with the key of that update', () => {
  let now = 0;
  const senders = createSenders(() => now);
  expect(senders.actorAt('192.0.2.1')).toBeNull();
  senders.add('192.0.2.1', actor('first'));
  now = 6_000;
  senders.add('192.0.2.1', actor('second'));
  now = 15_999;
  expect(senders.actorAt('192.0.2.1')).toEqual({ keyId: 'second' });
  expect(senders.actorAt('192.0.2.2')).toBeNull();
  now = 16_000;
  expect(senders.actorAt('192.0.2.1')).toBeNull();
});

test('the address whose update is oldest is forgotten when there are more than a thousand', () => {
  const senders = createSenders(() => 0);
  for (let at = 0; at < 1_000; at += 1) senders.add(`a${at}`, actor('key'));
  senders.add('a0', actor('key'));
  senders.add('more', actor('key'));
  expect(senders.actorAt('a1')).toBeNull();
  for (const address of ['a0', 'a2', 'more']) expect(senders.actorAt(address)).not.toBeNull();
});
