// Types by number, with RDATA in the generic form of RFC 3597.
import { expect, test } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { isRecordType } from '#dns/types/index.ts';
import { OWN_TYPES, TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { asStored } from '#dns/wire/shown-rdata.ts';
import { hex, problemOf, rdata, record, refusal, ZONE } from './build.ts';

const refused = (type: string) => problemOf(parseRecord({ name: 'a', type, content: '\\# 0' }, ZONE));

test.each(['TYPE66', 'TYPE127', 'TYPE258', 'TYPE65280', 'TYPE65534'])(
  'the type by its number %s is accepted',
  (type) => {
    expect(isRecordType(type)).toBe(true);
    expect(record({ name: 'a', type, content: '\\# 0' })).toMatchObject({
      type,
      content: '\\# 0',
      wire: new Uint8Array(0),
    });
  },
);

test('a type by its number is refused, and named, if the service has it under a name', () => {
  for (const [name, number] of Object.entries(TYPE_NUMBERS)) {
    const problem = refused(`TYPE${number}`);
    expect(problem).toMatchObject({ field: 'type', code: 'bad_request' });
    expect(problem.message).toContain(`TYPE${number} is ${name}`);
    const isOwn = (OWN_TYPES as readonly string[]).includes(name);
    expect(problem.message).toContain(isOwn ? 'are made by the service itself' : `write ${name}.`);
  }
});

test.each([
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
  ['HINFO', /Write HINFO as TYPE13, with its octets in generic form\. Use one of A, /],
  ['TYPE', /is not accepted\. Use one of A, /],
  ['type65280', /is not accepted\. Use one of A, .*TYPE65280$/],
])('the type by its number %s is refused', (type, message) => {
  expect(refused(type).message.replace(/\.$/, '')).toMatch(message);
  expect(isRecordType(type)).toBe(false);
});

// The octets are those of named-rrchecker (BIND 9.18).
test.each([
  ['HINFO', 13, '"PC" "Linux \\"6\\""', '025043094c696e757820223622'],
  ['MINFO', 14, 'a.example. b.example.', '0161076578616d706c65000162076578616d706c6500'],
  ['RP', 17, 'john\\.doe.example. .', '086a6f686e2e646f65076578616d706c650000'],
  ['AFSDB', 18, '1 db.example.', '0001026462076578616d706c6500'],
  ['RT', 21, '2 rt.example.', '0002027274076578616d706c6500'],
  ['KX', 36, '10 kx.example.', '000a026b78076578616d706c6500'],
  ['SPF', 99, '"v=spf1" "-all"', '06763d73706631042d616c6c'],
  ['NID', 104, '10 0014:4fff:ff20:ee64', '000a00144fffff20ee64'],
  ['L32', 105, '10 10.1.2.0', '000a0a010200'],
  ['L64', 106, '10 2001:0db8:1140:1000', '000a20010db811401000'],
  ['LP', 107, '10 l64.example.', '000a036c3634076578616d706c6500'],
  ['EUI48', 108, '00-00-5e-00-53-2a', '00005e00532a'],
  ['EUI64', 109, '00-00-5e-ef-10-00-00-2a', '00005eef1000002a'],
])('the old type %s that Knot shows in its own form is TYPE%i with the octets of %s', (name, number, shown, spaced) => {
  const wire = spaced.replaceAll(' ', '');
  const content = `\\# ${wire.length / 2} ${wire}`;
  const type = `TYPE${number}` as const;
  expect(hex(rdata(type, content).wire)).toBe(wire);
  expect(asStored(name, shown)).toEqual({ type, text: content });
  const short = `\\# ${wire.length / 2 - 1} ${wire.slice(0, -2)}`;
  expect(refusal(type, short).message).toBe(`The octets are not RDATA of type ${name}, which ${type} is.`);
  const long = `\\# ${wire.length / 2 + 1} ${wire}07`;
  expect(refusal(type, long).message).toContain(`not RDATA of type ${name},`);
});

test('an old type that Knot shows in its own form has names in lower case, and others than these stay as they are shown', () => {
  expect(hex(rdata('TYPE18', '\\# 5 0001014100').wire)).toBe('0001016100');
  expect(asStored('AFSDB', '1 A.')).toEqual({ type: 'TYPE18', text: '\\# 5 0001016100' });
  expect(asStored('NULL', '\\# 1 FF')).toEqual({ type: 'TYPE10', text: '\\# 1 FF' });
  expect(asStored('A', '192.0.2.1')).toEqual({ type: 'A', text: '192.0.2.1' });
  expect(asStored('AFSDB', 'x A.')).toEqual({ type: 'TYPE18', text: 'x A.' });
  expect(asStored('HINFO', '"x"')).toEqual({ type: 'TYPE13', text: '"x"' });
  expect(asStored('RP', 'a\\9. .')).toEqual({ type: 'TYPE17', text: 'a\\9. .' });
});

test.each([
  ['\\# 4 0A000001', '\\# 4 0a000001', '0a000001'],
  ['\\#  04\t0A 00 00 01', '\\# 4 0a000001', '0a000001'],
  ['\\# 3 a bcd ef', '\\# 3 abcdef', 'abcdef'],
  ['\\# 0', '\\# 0', ''],
])('the generic RDATA %s is %s', (content, canonical, wire) => {
  const parsed = rdata('TYPE65280', content);
  expect(parsed).toMatchObject({ content: canonical, rdata: canonical, target: null, priority: null });
  expect(hex(parsed.wire)).toBe(wire);
});

test.each([
  ['0a000001', /Generic RDATA is "\\# length hex"/],
  ['\\# 3 0a000001', /The length is 3, and there are 8 hexadecimal digits/],
  ['\\# 4 0a00001', /The length is 4, and there are 7 hexadecimal digits/],
  ['\\# 0 00', /there are 2 hexadecimal digits/],
  ['\\# 1 zz', /Generic RDATA is/],
  ['\\# -1', /Generic RDATA is/],
  ['\\#', /Generic RDATA is/],
  ['"\\#" 0', /Generic RDATA is/],
])('the generic RDATA %s is refused', (content, message) => {
  expect(refusal('TYPE65280', content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
});

test('generic RDATA takes no priority', () => {
  expect(refusal('TYPE65280', '\\# 0', 1).message).toBe('Only MX records have a priority; leave it out for TYPE65280.');
});
