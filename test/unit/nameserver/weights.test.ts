// The file of Knot's module that draws records: which RRsets are in it, and with which chances.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { listDecisiveNames, pickDrawable, weightFile, weightTtl } from '#nameserver/knot/weights.ts';

const set = (name: string, type: string, rdata: readonly string[], weights?: readonly number[]): ServedSet => ({
  ...{ name, type, ttl: 30, rdata },
  ...(weights === undefined ? {} : { weights }),
});
const two = (name: string, type = 'A') => set(name, type, ['192.0.2.1', '192.0.2.2'], [1, 10]);
const held = (name: string, type = 'A') => set(name, type, ['192.0.2.1', '192.0.2.2']);

/** The sum of the weights of each value, by type. */
function sharesIn(text: string): Record<string, Record<string, number>> {
  const shares: Record<string, Record<string, number>> = {};
  let share = 0;
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = /^ +-? *(\w+): (\S+)$/.exec(line) ?? [];
    if (key === 'weight') share = Number(value);
    else if (key !== '') {
      const ofType = shares[key] ?? {};
      shares[key] = { ...ofType, [value]: (ofType[value] ?? 0) + share };
    }
  }
  return shares;
}

test('a name has one draw for each record, and the apex the name of the zone', () => {
  expect(weightFile('example.com', [two('www')])).toBe(
    'www.example.com.:\n  - weight: 1\n    A: 192.0.2.1\n  - weight: 10\n    A: 192.0.2.2\n',
  );
  expect(weightFile('example.com', [two('@')])).toMatch(/^example\.com\.:\n/);
  expect(weightFile('example.com', [])).toBe('');
});

test('each record of any type has the chance of its weight, and no draw is above 255', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 2, maxLength: 64 });
  fc.assert(
    fc.property(weights, fc.option(weights), (four, six) => {
      const rdata = (list: readonly number[], type: string) => list.map((_, at) => `${type}${at}`);
      const sets = [
        set('w', 'A', rdata(four, 'A'), four),
        ...(six === null ? [] : [set('w', 'AAAA', rdata(six, 'AAAA'), six)]),
      ];
      const text = weightFile('example.com', sets);
      for (const [, weight] of text.matchAll(/weight: (\d+)/g)) expect(Number(weight)).toBeLessThanOrEqual(255);
      const shares = sharesIn(text);
      for (const { type, rdata: values, weights: wanted = [] } of sets) {
        const sum = wanted.reduce((all, each) => all + each, 0);
        const total = Object.values(shares[type]!).reduce((all, each) => all + each, 0);
        expect(total).toBeLessThanOrEqual(2 ** 14);
        for (const [at, value] of values.entries()) {
          expect(shares[type]![value]).toBeGreaterThan(0);
          expect(Math.abs(shares[type]![value]! / total - wanted[at]! / sum)).toBeLessThan(0.0002);
        }
      }
    }),
  );
});

test('a zone has at most 2,000 draws, of the names that come first', () => {
  const names = Array.from({ length: 1_001 }, (_, at) => `w${String(at).padStart(4, '0')}`);
  const text = weightFile(
    'example.com',
    names.toReversed().map((name) => two(name)),
  );
  expect(text.match(/weight/g)).toHaveLength(2_000);
  expect(text).toContain('w0000.example.com');
  expect(text).not.toContain('w1000.example.com');
});

test.each<[string, string, readonly ServedSet[], boolean]>([
  ['that is in the zone', 'www', [held('www')], true],
  ['at the apex, which has NS', '@', [held('@'), set('@', 'NS', ['ns.'])], true],
  ['that is not in the zone', 'www', [], false],
  ['with other records in the zone', 'www', [set('www', 'A', ['192.0.2.1', '192.0.2.3'])], false],
  ['with another type in the zone', 'www', [held('www', 'AAAA')], false],
  ['at a zone cut', 'sub', [held('sub'), set('sub', 'NS', ['ns.'])], false],
  ['below a zone cut', 'ns.a.sub', [held('ns.a.sub'), set('sub', 'NS', ['ns.'])], false],
  ['below a DNAME', 'www.old', [held('www.old'), set('old', 'DNAME', ['new.'])], false],
  ['below a DNAME at the apex', 'www', [held('www'), set('@', 'DNAME', ['new.'])], false],
  ['next to a zone cut', 'www.bub', [held('www.bub'), set('sub', 'NS', ['ns.'])], true],
  ['that is a wildcard', '*.dev', [held('*.dev')], false],
  ['with characters that Knot does not read there', 'a\\032b', [held('a\\032b')], false],
])('a name %s is drawn or not', (_case, name, sets, isDrawn) => {
  expect(pickDrawable([two(name)], sets)).toEqual(isDrawn ? [two(name)] : []);
});

test('the names above a weighted one decide about it', () => {
  expect(listDecisiveNames([two('www'), two('a.b.c')])).toEqual(['@', 'www', 'a.b.c', 'b.c', 'c']);
});

test('all names of the file have the lowest TTL', () => {
  expect(weightTtl([two('a'), { ...two('b'), ttl: 20 }])).toBe(20);
});
