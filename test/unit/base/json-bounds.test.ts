// Bounds of a JSON text, judged without parsing it.
import { expect, test } from 'vitest';
import { exceedsJson } from '#base/json-bounds.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const judge = (text: string, depth = 3, values = 5) => exceedsJson(bytes(text), { depth, values });

test.each(['[[[]]]', '{"a":{"b":{}}}', '[{"a":[]},[[]],[[]]]', '"[[[["', '["{{{{[[[["]', '[]]]]]'])(
  'the nesting of %s is within three levels',
  (text) => expect(judge(text, 3, 100)).toBeNull(),
);

test.each(['[[[[', '{"a":{"b":{"c":{', '[{"a":[{', '["\\"",[[[', '["\\\\",[[[', '["\\\\\\"]",[[['])(
  'the nesting of %s is not within three levels, and the message says the limit',
  (text) => expect(judge(text, 3, 100)).toMatch(/nested too deep: at most 3/),
);

test.each(['[1,2,3,4]', '{"a":1,"b":2,"c":3,"d":4}', '["1,2,3,4,5,6,7,8,9"]', '[[[[', ''])(
  'the number of values of %s is within five',
  (text) => expect(judge(text, 9)).toBeNull(),
);

test.each(['[1,2,3,4,5]', '[[],[],[]]', '["\\",",2,3,4,5]', ',,,,,'])(
  'the number of values of %s is not within five, and the message says the limit',
  (text) => expect(judge(text, 9)).toMatch(/at most 5 are read/),
);

test('a batch of 1,000 full changes is within the bounds of requests', () => {
  const record = {
    name: 'www',
    type: 'SVCB',
    ttl: 300,
    priority: 10,
    content: 'a, [b] {c}',
    managedBy: 'DNSRecord a/b',
  };
  const changes = Array.from({ length: 1_000 }, (_, at) => ({
    action: 'update',
    recordId: `r${at}`,
    idempotencyKey: 'k',
    record,
  }));
  expect(exceedsJson(bytes(JSON.stringify({ atomic: true, changes })))).toBeNull();
});

test.each([
  ['brackets', `${'['.repeat(524_000)}${']'.repeat(524_000)}`],
  ['commas', `[${'1,'.repeat(500_000)}1]`],
  ['quotation marks', '"'.repeat(1_000_001)],
  ['backslashes', `"${'\\'.repeat(1_000_000)}`],
])('a megabyte of %s is judged in milliseconds', (_, text) => {
  const octets = bytes(text);
  const times = Array.from({ length: 20 }, () => {
    const since = performance.now();
    exceedsJson(octets);
    return performance.now() - since;
  });
  // About 2 ms; JSON.parse of the first one takes hundreds. The best of twenty, because the machine does something else
  // as well.
  expect(Math.min(...times)).toBeLessThan(50);
});
