// DNS messages with all sections: names, compression, and octets that are not a message.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEdns, writeOpt } from '#dns/message/edns.ts';
import { isWithinZone, readHeader, readMessage, readOnlyQuestion, writeAnswer } from '#dns/message/message.ts';
import { placeOfTsig } from '#dns/message/outline.ts';
import { concat, nameToWire, uint16, uint32 } from '#dns/wire/octets.ts';
import { change, updateMessage, when } from '../../../support/doors/dns-update/message.ts';
import { effort } from '../../../support/runner/seed.ts';

const UPDATE = {
  zone: 'example.com',
  prerequisites: [when.unused('www.example.com')],
  changes: [change.add('www.example.com', 300, 'A', '192.0.2.1'), change.deleteName('old.example.com')],
};

test('a message keeps class, TTL and RDATA of each record, also if there is no RDATA', () => {
  const { opcode, isAnswer, questions, sections } = readMessage(updateMessage(UPDATE));
  expect({ opcode, isAnswer }).toEqual({ opcode: 5, isAnswer: false });
  expect(questions).toMatchObject([{ name: ['example', 'com'], type: 6, class: 1 }]);
  expect(sections[0]).toMatchObject([
    { name: ['www', 'example', 'com'], type: 255, class: 254, ttl: 0, rdata: new Uint8Array() },
  ]);
  expect(sections[1]).toMatchObject([
    { type: 1, class: 1, ttl: 300, rdata: Uint8Array.of(192, 0, 2, 1) },
    { name: ['old', 'example', 'com'], type: 255, class: 255, rdata: new Uint8Array() },
  ]);
});

test('a message may compress names, also those in RDATA', () => {
  const head = concat([uint16(1), uint16(0x2800), uint16(1), uint16(0), uint16(1), uint16(0)]);
  // The name of the zone is at octet 12.
  const mx = concat([
    Uint8Array.of(3, 0x57, 0x57, 0x57, 0xc0, 12),
    uint16(15),
    uint16(1),
    uint32(60),
    uint16(9),
    uint16(10),
    Uint8Array.of(4, 0x4d, 0x41, 0x49, 0x4c, 0xc0, 12),
  ]);
  const [record] = readMessage(concat([head, nameToWire('example.com'), uint16(6), uint16(1), mx])).sections[1];
  expect(record?.name).toEqual(['www', 'example', 'com']);
  expect(record?.rdata).toEqual(concat([uint16(10), nameToWire('mail.example.com')]));
});

test('a message has names that differ even if their labels contain dots', () => {
  const octets = updateMessage({ zone: 'example.com' });
  const dotted = concat([
    octets.slice(0, 8),
    uint16(1),
    octets.slice(10),
    Uint8Array.of(11, ...Buffer.from('www.example'), 3, ...Buffer.from('com'), 0),
    uint16(255),
    uint16(255),
    uint32(0),
    uint16(0),
  ]);
  const [record] = readMessage(dotted).sections[1];
  expect(record?.name).toEqual(['www\\046example', 'com']);
  expect(isWithinZone(record?.name ?? [], ['example', 'com'])).toBe(false);
  expect(isWithinZone(['www', 'example', 'com'], ['example', 'com'])).toBe(true);
  expect(isWithinZone(['com'], ['example', 'com'])).toBe(false);
});

test('a message is malformed if octets are missing or left over', () => {
  const octets = updateMessage(UPDATE);
  for (let length = 0; length < octets.length; length += 1) {
    expect(() => readMessage(octets.slice(0, length))).toThrow(RangeError);
    expect(() => placeOfTsig(octets.slice(0, length))).toThrow(RangeError);
  }
  expect(() => readMessage(concat([octets, Uint8Array.of(0)]))).toThrow(RangeError);
});

test('a message is read from any octets, or they give a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 3 }), (tail, count) => {
      const octets = concat([uint16(1), uint16(0x2800), ...[1, count, count, count].map(uint16), tail]);
      for (const read of [readMessage, placeOfTsig, readOnlyQuestion]) {
        try {
          read(octets);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }
    }),
    { numRuns: effort(5_000, 1_000) },
  );
});

test('an answer has the id, the opcode, the zone and the code', () => {
  const question = readOnlyQuestion(updateMessage(UPDATE));
  const answer = writeAnswer({ question, id: 7, opcode: 5, rcode: 9, additional: [] });
  expect(readHeader(answer)).toEqual({ id: 7, isAnswer: true, opcode: 5, counts: [1, 0, 0, 0] });
  expect(readMessage(answer).questions).toMatchObject([{ name: ['example', 'com'], type: 6 }]);
  expect((answer[3] as number) & 0xf).toBe(9);
});

test('an answer carries an extended error, cut at a character', () => {
  const opt = writeOpt({ code: 'prohibited', text: 'naïve' }, 3);
  const answer = writeAnswer({ question: null, id: 7, opcode: 5, rcode: 5, additional: [opt] });
  const { sections } = readMessage(answer);
  expect(readEdns(sections[2])).toEqual({ version: 0, payload: 1232 });
  expect(Buffer.from(sections[2][0]?.rdata ?? []).toString('latin1')).toBe('\0\x0f\0\x04\0\x12na');
});
