// TSIG records: the signed octets, and each error in the order of RFC 8945 section 5.2.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readMessage } from '#dns/message/message.ts';
import { placeOfTsig } from '#dns/message/outline.ts';
import {
  answerUnsigned,
  checkTsig,
  FUDGE,
  type Signed,
  signAnswer,
  signRequest,
  TSIG_ERROR,
  type TsigKey,
  takeTsig,
} from '#dns/message/tsig.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';
import { change, updateMessage } from '../../../support/doors/dns-update/message.ts';

const NOW = 1_700_000_000;
const KEY: TsigKey = {
  name: 'key-1.example',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('a secret of some octets'),
};
const REQUEST = updateMessage({
  id: 0x1234,
  zone: 'example.com',
  changes: [change.add('www.example.com', 300, 'A', '192.0.2.1')],
});
const signed = (octets = signRequest(REQUEST, KEY, NOW)): Signed => takeTsig(octets) as Signed;

test('a signed request is the request again without its signature', () => {
  const { unsigned, tsig } = signed();
  expect(unsigned).toEqual(REQUEST);
  expect(tsig).toMatchObject({
    keyName: KEY.name,
    algorithm: KEY.algorithm,
    time: NOW,
    fudge: FUDGE,
    originalId: 0x1234,
  });
});

test('a signed request has an HMAC over the message and the variables of RFC 8945 section 4.3.3', () => {
  const name = (text: string) =>
    Buffer.concat([
      ...text.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
      Buffer.of(0),
    ]);
  const time = Buffer.alloc(6);
  time.writeUIntBE(NOW, 0, 6);
  const variables = [
    name('key-1.example'),
    Buffer.from('00ff00000000', 'hex'),
    name('hmac-sha256'),
    time,
    Buffer.from('012c00000000', 'hex'),
  ];
  const mac = createHmac('sha256', KEY.secret)
    .update(Buffer.concat([REQUEST, ...variables]))
    .digest();
  expect(Buffer.from(signed().tsig.mac)).toEqual(mac);
});

test('a signed request is valid with each algorithm', () => {
  for (const algorithm of [
    'hmac-md5',
    'hmac-sha1',
    'hmac-sha224',
    'hmac-sha256',
    'hmac-sha384',
    'hmac-sha512',
  ] as const) {
    const key = { ...KEY, algorithm };
    expect(checkTsig(signed(signRequest(REQUEST, key, NOW)), key, NOW)).toEqual({ ok: true });
  }
});

test('a signed request keeps its signature when a forwarder changes its id', () => {
  const octets = signRequest(REQUEST, KEY, NOW);
  octets.set(uint16(0x4321), 0);
  expect(checkTsig(signed(octets), KEY, NOW)).toEqual({ ok: true });
});

describe('a wrong signature', () => {
  const check = (key: TsigKey | null, octets?: Uint8Array, now = NOW) => checkTsig(signed(octets), key, now);

  test('a wrong signature by no key, or by a key with another name or algorithm, is BADKEY', () => {
    for (const key of [null, { ...KEY, name: 'key-2.example' }, { ...KEY, algorithm: 'hmac-sha512' as const }]) {
      expect(check(key)).toEqual({ ok: false, error: 'BADKEY' });
    }
  });

  test('a wrong signature by another secret, or over another message, is BADSIG', () => {
    expect(check({ ...KEY, secret: Buffer.from('another') })).toEqual({ ok: false, error: 'BADSIG' });
    // The last octets of the request are an address, which no other field depends on.
    for (let at = REQUEST.length - 4; at < REQUEST.length; at += 1) {
      const octets = signRequest(REQUEST, KEY, NOW);
      octets[at] = (octets[at] as number) ^ 1;
      expect(check(KEY, octets)).toEqual({ ok: false, error: 'BADSIG' });
    }
  });

  test('a wrong signature is BADTIME beyond 300 seconds, and beyond a smaller fudge of the client, but not beyond a larger one', () => {
    expect(check(KEY, undefined, NOW + FUDGE)).toEqual({ ok: true });
    expect(check(KEY, undefined, NOW - FUDGE)).toEqual({ ok: true });
    expect(check(KEY, undefined, NOW + FUDGE + 1)).toEqual({ ok: false, error: 'BADTIME' });
    expect(check(KEY, undefined, NOW - FUDGE - 1)).toEqual({ ok: false, error: 'BADTIME' });
    expect(check(KEY, signRequest(REQUEST, KEY, NOW, 60), NOW + 61)).toEqual({ ok: false, error: 'BADTIME' });
    expect(check(KEY, signRequest(REQUEST, KEY, NOW, 60_000), NOW + FUDGE + 1)).toEqual({
      ok: false,
      error: 'BADTIME',
    });
  });

  test('a wrong signature with a wrong MAC and a wrong time is BADSIG, so that no client learns the time of the service', () => {
    expect(check({ ...KEY, secret: Buffer.from('another') }, undefined, 0)).toEqual({ ok: false, error: 'BADSIG' });
  });

  test('a wrong signature cut short is BADTRUNC, malformed below half of the digest, and BADSIG if the rest is wrong', () => {
    const cut = (octets: number, flip = 0): Signed => {
      const { unsigned, tsig } = signed();
      const mac = tsig.mac.slice(0, octets);
      mac[0] = (mac[0] as number) ^ flip;
      return { unsigned, tsig: { ...tsig, mac } };
    };
    expect(checkTsig(cut(31), KEY, NOW)).toEqual({ ok: false, error: 'BADTRUNC' });
    expect(checkTsig(cut(16), KEY, NOW)).toEqual({ ok: false, error: 'BADTRUNC' });
    expect(checkTsig(cut(16, 1), KEY, NOW)).toEqual({ ok: false, error: 'BADSIG' });
    expect(checkTsig(cut(16), KEY, 0)).toEqual({ ok: false, error: 'BADTIME' });
    expect(checkTsig(cut(15), KEY, NOW)).toEqual({ ok: false, error: 'malformed' });
    const { unsigned, tsig } = signed();
    const longer = { unsigned, tsig: { ...tsig, mac: concat([tsig.mac, Uint8Array.of(0)]) } };
    expect(checkTsig(longer, KEY, NOW)).toEqual({ ok: false, error: 'malformed' });
  });

  test('a wrong signature that is not the last record, occurs twice, or has a wrong class is malformed', () => {
    const once = signRequest(REQUEST, KEY, NOW);
    expect(() => takeTsig(signRequest(once, KEY, NOW))).toThrow(RangeError);
    const other = Uint8Array.from(once);
    // The class is after the name of the key and the type.
    const at = (placeOfTsig(once) as number) + KEY.name.length + 2 + 2;
    other.set(uint16(1), at);
    expect(() => takeTsig(other)).toThrow(RangeError);
    for (let length = REQUEST.length; length < once.length; length += 1) {
      expect(() => takeTsig(once.slice(0, length))).toThrow(RangeError);
    }
    expect(() => takeTsig(concat([once, Uint8Array.of(0)]))).toThrow(RangeError);
    expect(takeTsig(REQUEST)).toBeNull();
  });
});

describe('an answer', () => {
  const { tsig } = signed();

  test('an answer is signed over the MAC of its request', () => {
    const answer = signAnswer(REQUEST, tsig, KEY, NOW + 5);
    const read = takeTsig(answer) as Signed;
    expect(read.tsig).toMatchObject({ time: NOW + 5, error: 0, other: new Uint8Array() });
    expect(checkTsig(read, KEY, NOW)).toEqual({ ok: false, error: 'BADSIG' });
    const again = signAnswer(REQUEST, { ...tsig, mac: tsig.mac.map((octet) => octet ^ 1) }, KEY, NOW + 5);
    expect((takeTsig(again) as Signed).tsig.mac).not.toEqual(read.tsig.mac);
    expect(readMessage(answer).sections[2]).toHaveLength(1);
  });

  test('an answer to a wrong time has the time of the service, and is signed with that of the client', () => {
    const read = (takeTsig(signAnswer(REQUEST, tsig, KEY, NOW + 1_000, 'BADTIME')) as Signed).tsig;
    expect(read).toMatchObject({ time: NOW, error: TSIG_ERROR.BADTIME });
    expect(Buffer.from(read.other).readUIntBE(0, 6)).toBe(NOW + 1_000);
  });

  test('an answer to a wrong key or MAC has no MAC', () => {
    for (const error of ['BADKEY', 'BADSIG'] as const) {
      const read = (takeTsig(answerUnsigned(REQUEST, tsig, error)) as Signed).tsig;
      expect(read).toMatchObject({ error: TSIG_ERROR[error], mac: new Uint8Array(), time: NOW });
    }
  });
});
