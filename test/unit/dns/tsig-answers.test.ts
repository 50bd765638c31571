// The signatures of the messages that answer one request (RFC 8945 section 5.3.1).
import { expect, test } from 'vitest';
import { createSigner, signRequest, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { createAnswerCheck } from '#dns/message/tsig-answers.ts';
import { concat, nameToWire, uint16 } from '#dns/wire/octets.ts';

const NOW = 1_800_000_000;
const KEY: TsigKey = { name: 'transfer.test', algorithm: 'hmac-sha256', secret: new Uint8Array(32).fill(7) };
/** A message with one question, which differs by its id. */
const message = (id: number) =>
  concat([...[id, 0x8400, 1, 0, 0, 0].map(uint16), nameToWire('moved.example'), uint16(252), uint16(1)]);
const request = takeTsig(signRequest(message(1), KEY, NOW))!.tsig;

/** The check after the messages; `null` is a message without a signature. */
function checked(messages: readonly (Uint8Array | null)[], key = KEY, now = NOW) {
  const check = createAnswerCheck(request, key);
  for (const each of messages) check.next(each ?? message(9), now);
  return check;
}
const signed = (count: number, key = KEY, time = NOW) => {
  const sign = createSigner(request, key);
  return Array.from({ length: count }, (_, at) => sign(message(at + 1), time));
};

test('the messages of one answer pass if each is signed over the one before', () => {
  expect(() => checked(signed(3)).finish()).not.toThrow();
});

test('the messages of one answer are refused in another order, or if one is missing', () => {
  const [first, second, third] = signed(3);
  expect(() => checked([first!, third!])).toThrow('signature of the answer is wrong');
  expect(() => checked([second!])).toThrow('signature of the answer is wrong');
});

test('the messages of one answer are refused if one octet differs', () => {
  const [first] = signed(1);
  const changed = Uint8Array.from(first!);
  changed[14] = (changed[14] ?? 0) ^ 1;
  expect(() => checked([changed])).toThrow('signature of the answer is wrong');
});

test('the messages of one answer are refused if another key signed them', () => {
  const secret = new Uint8Array(32).fill(8);
  expect(() => checked(signed(1, { ...KEY, secret }))).toThrow('signature of the answer is wrong');
  expect(() => checked(signed(1), { ...KEY, name: 'other.test' })).toThrow('signed with another key');
});

test('the messages of one answer are refused if the first or the last has no signature', () => {
  expect(() => checked([null])).toThrow('the answer has no signature');
  expect(() => checked([...signed(1), null]).finish()).toThrow('the last message has no signature');
});

test('the messages of one answer are refused after more than 5 minutes', () => {
  expect(() => checked(signed(1), KEY, NOW + 300)).not.toThrow();
  expect(() => checked(signed(1), KEY, NOW + 301)).toThrow('more than 5 minutes');
});
