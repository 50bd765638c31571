// The plain model by which the fault matrix and the crash runs judge.
import { expect, test } from 'vitest';
import { formatWanted, groupAnswers, listWanted } from '../../../support/matrix/wanted.ts';

const values = [{ content: '192.0.2.2' }, { content: '192.0.2.1' }];

test('a record has the TTL of its spec, of its zone, or an hour', () => {
  const spec = { name: 'WWW', type: 'A', content: '192.0.2.1' };
  expect(formatWanted(listWanted({ ...spec, ttl: 60 }, { defaultTtl: 300 }))).toBe('www 60 A 192.0.2.1');
  expect(formatWanted(listWanted(spec, { defaultTtl: 300 }))).toBe('www 300 A 192.0.2.1');
  expect(formatWanted(listWanted(spec, {}))).toBe('www 3600 A 192.0.2.1');
});

test('an RRset is answered with all values and its lowest TTL', () => {
  const foreign = { name: 'www', type: 'A', content: '192.0.2.99', ttl: 60 };
  const wanted = [...listWanted({ name: 'www', type: 'A', ttl: 300, values }, {}), foreign];
  expect([...groupAnswers('cell1.example', wanted)]).toEqual([
    [
      'www.cell1.example A',
      ['192.0.2.1', '192.0.2.2', '192.0.2.99'].map((content) => `www.cell1.example 60 A ${content}`),
    ],
  ]);
});

test('a spec that the model does not know is an error', () => {
  expect(() => listWanted({ name: 'www', type: 'AAAA', content: '2001:DB8::1' }, {})).toThrow('AAAA');
});
