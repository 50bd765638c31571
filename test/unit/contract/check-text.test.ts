// Health checks in words.
import { expect, test } from 'vitest';
import { writeNameServers } from '#contract/check-text.ts';

test('the view of the name servers says for how many of them an address fails', () => {
  expect(writeNameServers({ nameServers: { total: 3, unhealthy: 0 } })).toBe('it works for all 3');
  expect(writeNameServers({ nameServers: { total: 3, unhealthy: 2 } })).toBe('it fails for 2 of 3');
  expect(writeNameServers({ nameServers: null })).toBeNull();
});
