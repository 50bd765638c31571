// A keyring encrypts a secret for one owner, and says which key is missing or wrong.
import { expect, test } from 'vitest';
import { Keyring, nameOfKey, newKeyringKey, parseKeyringKeys } from '#base/keyring.ts';

const keysOf = (text: string) => {
  const keys = parseKeyringKeys(text);
  if (typeof keys === 'string') throw new Error(keys);
  return keys;
};
const [first, second] = [newKeyringKey(), newKeyringKey()];
const [name = ''] = first.split(':');
const clear = '-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----\n';

test('the first key encrypts, every key decrypts, and no two texts are the same', () => {
  const old = new Keyring(keysOf(first));
  const text = old.seal(clear, 'a');
  expect(text).toMatch(new RegExp(`^v1\\.${name}\\.[\\w-]+$`));
  expect(text).not.toBe(old.seal(clear, 'a'));
  expect(old.open(text, 'a')).toBe(clear);
  const both = new Keyring(keysOf(`${second},\n${first}`));
  expect(both.open(text, 'a')).toBe(clear);
  expect(nameOfKey(both.seal(clear, 'a'))).toBe(second.split(':')[0]);
});

test('a text opens for its owner alone, and not after a change of any of its characters', () => {
  const keyring = new Keyring(keysOf(first));
  const text = keyring.seal(clear, 'a');
  expect(() => keyring.open(text, 'b')).toThrow('does not open');
  const start = text.lastIndexOf('.') + 1;
  for (let at = start; at < text.length; at += 1) {
    const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'Q' : 'A'}${text.slice(at + 1)}`;
    // The last characters may stand for the same octets.
    if (Buffer.from(changed.slice(start), 'base64url').equals(Buffer.from(text.slice(start), 'base64url'))) continue;
    expect(() => keyring.open(changed, 'a')).toThrow('does not open');
  }
  expect(() => keyring.open(text.slice(0, start + 4), 'a')).toThrow('does not open');
});

test('a missing key and one with another value are named', () => {
  const text = new Keyring(keysOf(first)).seal(clear, 'a');
  expect(() => new Keyring(keysOf(second)).open(text, 'a')).toThrow(`the key "${name}", which is missing`);
  const wrong = new Keyring(keysOf(`${name}:${second.split(':')[1]}`));
  expect(() => wrong.open(text, 'a')).toThrow(`does not open with the key "${name}"`);
});

test('an empty keyring keeps secrets in clear, and reads those in clear', () => {
  const empty = new Keyring([]);
  expect([empty.currentName, empty.seal(clear, 'a'), empty.open(clear, 'a')]).toEqual([null, clear, clear]);
  expect(new Keyring(keysOf(first)).open(clear, 'a')).toBe(clear);
});

test('keys are refused with a sentence that does not repeat them', () => {
  const [, octets = ''] = first.split(':');
  for (const text of ['', octets, `K1:${octets}`, `k1:${octets.slice(4)}`, `k1:${octets}=`, `${first};${second}`]) {
    const problem = parseKeyringKeys(text);
    expect(problem).toContain('must have keys like k1:BASE64');
    if (octets !== '') expect(problem).not.toContain(octets);
  }
  expect(parseKeyringKeys(`${first} ${name}:${second.split(':')[1]}`)).toBe('has two keys with one name');
});
