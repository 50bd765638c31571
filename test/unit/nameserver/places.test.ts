// Slots for all owners together and for each owner.
import { expect, it } from 'vitest';
import { createPlaces } from '#nameserver/resolver/places.ts';

it('An owner gets its own slots and no more, while other owners keep theirs', () => {
  const places = createPlaces({ atOnce: 5, each: 2 });
  const first = places.tryEnter('a');
  expect([first, places.tryEnter('a')].every((leave) => leave !== null)).toBe(true);
  expect(places.tryEnter('a')).toBeNull();
  expect(places.tryEnter('b')).not.toBeNull();
  expect(places.taken()).toEqual({ a: 2, b: 1 });
  first?.();
  expect(places.taken()).toEqual({ a: 1, b: 1 });
  expect(places.tryEnter('a')).not.toBeNull();
});

it('All owners together get no more than all slots, and a slot is released once', () => {
  const places = createPlaces({ atOnce: 2, each: 2 });
  const [one, two] = [places.tryEnter('a'), places.tryEnter('b')];
  expect([places.tryEnter('c'), places.free()]).toEqual([null, 0]);
  one?.();
  one?.();
  expect(places.free()).toBe(1);
  two?.();
  expect([places.free(), places.taken()]).toEqual([2, {}]);
});
