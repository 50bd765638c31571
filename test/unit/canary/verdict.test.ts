// The verdicts of the canary, on answers that the test signs.
import { expect, test } from 'vitest';
import { Values } from '#canary/values.ts';
import { type Answer, judgeKeys, judgeSoa, judgeValue } from '#canary/verdict.ts';
import { NOW_SECONDS, signedSet, testKey } from '../../support/dns/signed-sets.ts';

const ZONE = 'zone.example';
const NAME = `canary.${ZONE}`;
const [TXT, SOA, DNSKEY, RRSIG] = [16, 6, 48, 46];
const KEY = testKey(ZONE);
const EVIL = testKey(ZONE);
const FACTS = { zone: ZONE, ds: KEY.ds, nowSeconds: NOW_SECONDS };

function answerWith(name: string, type: number, rdatas: Uint8Array[], key = KEY, change: Partial<Answer> = {}): Answer {
  const { signatures } = signedSet(ZONE, { name, type, rdatas }, key);
  const record = (each: number) => (rdata: Uint8Array) => ({ name, type: each, ttl: 30, rdata });
  return { rcode: 0, aa: true, answers: [...rdatas.map(record(type)), ...signatures.map(record(RRSIG))], ...change };
}

const EMPTY: Answer = { rcode: 3, aa: true, answers: [] };
const soa = (key = KEY, change = {}) => answerWith(ZONE, SOA, [Uint8Array.of(0, 0, 1, 2)], key, change);
const text = (content: string) => Uint8Array.of(content.length, ...Buffer.from(content));

test('an answer of any kind is silent, wrong, bogus or right', () => {
  const judge = (answer: Answer | null, keys: Uint8Array[] | null = [KEY.dnskey]) =>
    judgeSoa(FACTS, keys, answer).result;
  expect(judge(null)).toBe('silent');
  for (const change of [{ rcode: 2 }, { rcode: 5 }, { aa: false }]) expect(judge(soa(KEY, change))).toBe('wrong');
  expect(judge(EMPTY)).toBe('wrong');
  expect(judge(soa(EVIL))).toBe('bogus');
  expect(judge(soa(), null)).toBe('bogus');
  expect(judge(soa(KEY, { answers: soa().answers.filter(({ type }) => type === SOA) }))).toBe('bogus');
  expect(judge(soa())).toBe('right');
});

test('an answer about another name does not answer the question', () => {
  const answers = soa().answers.map((record) => ({ ...record, name: 'other.example' }));
  expect(judgeSoa(FACTS, [KEY.dnskey], soa(KEY, { answers }))).toEqual({
    ...{ result: 'wrong', problem: 'serves no SOA record of the zone' },
  });
});

test('keys are trusted with a DS record alone, and no other keys', () => {
  const good = judgeKeys(FACTS, answerWith(ZONE, DNSKEY, [KEY.dnskey]));
  expect(good).toEqual({ result: 'right', problem: null, keys: [KEY.dnskey] });
  expect(judgeKeys(FACTS, answerWith(ZONE, DNSKEY, [EVIL.dnskey], EVIL))).toMatchObject({
    result: 'bogus',
    keys: null,
  });
  expect(judgeKeys(FACTS, answerWith(ZONE, DNSKEY, [KEY.dnskey, EVIL.dnskey], EVIL)).result).toBe('bogus');
  expect(judgeKeys(FACTS, { ...EMPTY, rcode: 0 })).toMatchObject({ result: 'wrong', keys: null });
  expect(judgeKeys(FACTS, null)).toMatchObject({ result: 'silent', keys: null });
});

function value() {
  const values = new Values('run');
  const [first, second] = [values.next().content, values.next().content];
  values.acknowledge(1, 1_000);
  values.acknowledge(2, 2_000);
  const judge = (answer: Answer | null, askedAt: number) =>
    judgeValue(FACTS, [KEY.dnskey], { name: NAME, values, askedAt, limitMs: 500 }, answer);
  const serve = (...contents: string[]) => answerWith(NAME, TXT, contents.map(text));
  return { first, second, judge, serve };
}

test('the newest value is right at all times, and the one before until the limit', () => {
  const { first, second, judge, serve } = value();
  expect(judge(serve(second), 1_000_000)).toEqual({ result: 'right', problem: null, number: 2 });
  expect(judge(serve(first), 2_499)).toEqual({ result: 'right', problem: null, number: 1 });
  expect(judge(serve(first), 2_500)).toEqual({
    ...{ result: 'wrong', problem: 'still answers an old value', number: 1 },
  });
});

test('no value, that of another process, and two values are older than the first value', () => {
  const { second, judge, serve } = value();
  const other = new Values('before').next().content;
  for (const answer of [EMPTY, { ...EMPTY, rcode: 0 }, serve(other), serve(second, other)]) {
    expect(judge(answer, 1_499)).toMatchObject({ result: 'right', number: 0 });
    expect(judge(answer, 1_500)).toMatchObject({ result: 'wrong', number: 0 });
  }
  expect(judge(EMPTY, 3_000).problem).toBe('still has no record');
});

test('a forged value is bogus and has no number, however new it is', () => {
  const { second, judge } = value();
  const forged = answerWith(NAME, TXT, [text(second)], EVIL);
  expect(judge(forged, 2_001)).toMatchObject({ result: 'bogus', number: null });
  expect(judge(null, 2_001)).toMatchObject({ result: 'silent', number: null });
});

test('octets that are not a TXT record have no number, and cause no error', () => {
  const { judge } = value();
  for (const rdata of [new Uint8Array(0), Uint8Array.of(200, 1), Uint8Array.of(0, 0, 0), Uint8Array.of(255)])
    expect(judge(answerWith(NAME, TXT, [rdata]), 1_100)).toMatchObject({ result: 'right', number: 0 });
});
