// Types by number, with RDATA in the generic form of RFC 3597.
import { describe, expect, it } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { isRecordType } from '#dns/types/index.ts';
import { OWN_TYPES, TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { hex, problemOf, rdata, record, refusal, ZONE } from './build.ts';

const refused = (type: string) => problemOf(parseRecord({ name: 'a', type, content: '\\# 0' }, ZONE));

describe('a type by its number', () => {
  it.each(['TYPE66', 'TYPE127', 'TYPE258', 'TYPE65280', 'TYPE65534'])('%s is accepted', (type) => {
    expect(isRecordType(type)).toBe(true);
    expect(record({ name: 'a', type, content: '\\# 0' })).toMatchObject({
      type,
      content: '\\# 0',
      wire: new Uint8Array(0),
    });
  });

  it('is refused, and named, if the service has it under a name', () => {
    for (const [name, number] of Object.entries(TYPE_NUMBERS)) {
      const problem = refused(`TYPE${number}`);
      expect(problem).toMatchObject({ field: 'type', code: 'bad_request' });
      expect(problem.message).toContain(`TYPE${number} is ${name}`);
      const isOwn = (OWN_TYPES as readonly string[]).includes(name);
      expect(problem.message).toContain(isOwn ? 'are made by the service itself' : `write ${name}.`);
    }
  });

  it.each([
    ['TYPE0', /reserved/],
    ['TYPE41', /TYPE41 is OPT, which the service does not have/],
    ['TYPE24', /is SIG/],
    ['TYPE128', /a type of questions or messages \(RFC 6895 section 3\.1\)/],
    ['TYPE250', /a type of questions or messages/],
    ['TYPE255', /a type of questions or messages/],
    ['TYPE65401', /TYPE65401 records are made by the service itself/],
    ['TYPE65535', /reserved/],
    ['TYPE65536', /types have 1 to 65534/],
    ['TYPE99999', /types have 1 to 65534/],
    ['TYPE065280', /is not accepted\. Use one of A, /],
    ['TYPE', /is not accepted\. Use one of A, /],
    ['type65280', /is not accepted\. Use one of A, .*TYPE65280$/],
  ])('%s is refused', (type, message) => {
    expect(refused(type).message.replace(/\.$/, '')).toMatch(message);
    expect(isRecordType(type)).toBe(false);
  });
});

describe('generic RDATA', () => {
  it.each([
    ['\\# 4 0A000001', '\\# 4 0a000001', '0a000001'],
    ['\\#  04\t0A 00 00 01', '\\# 4 0a000001', '0a000001'],
    ['\\# 3 a bcd ef', '\\# 3 abcdef', 'abcdef'],
    ['\\# 0', '\\# 0', ''],
  ])('%s is %s', (content, canonical, wire) => {
    const parsed = rdata('TYPE65280', content);
    expect(parsed).toMatchObject({ content: canonical, rdata: canonical, target: null, priority: null });
    expect(hex(parsed.wire)).toBe(wire);
  });

  it.each([
    ['0a000001', /Generic RDATA is "\\# length hex"/],
    ['\\# 3 0a000001', /The length is 3, and there are 8 hexadecimal digits/],
    ['\\# 4 0a00001', /The length is 4, and there are 7 hexadecimal digits/],
    ['\\# 0 00', /there are 2 hexadecimal digits/],
    ['\\# 1 zz', /Generic RDATA is/],
    ['\\# -1', /Generic RDATA is/],
    ['\\#', /Generic RDATA is/],
    ['"\\#" 0', /Generic RDATA is/],
  ])('%s is refused', (content, message) => {
    expect(refusal('TYPE65280', content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
  });

  it('takes no priority', () => {
    expect(refusal('TYPE65280', '\\# 0', 1).message).toBe(
      'Only MX records have a priority; leave it out for TYPE65280.',
    );
  });
});
