import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalEscapes, hex, rdata, refusal } from './build.ts';

// RFC 9460 appendix D: presentation and wire form of every accepted vector.
test.each([
  ['0 foo.example.com.', '000003666f6f076578616d706c6503636f6d00'],
  ['1 .', '000100'],
  ['16 foo.example.com. port=53', '001003666f6f076578616d706c6503636f6d00000300020035'],
  ['1 foo.example.com. key667=hello', '000103666f6f076578616d706c6503636f6d00029b000568656c6c6f'],
  ['1 foo.example.com. key667="hello\\210qoo"', '000103666f6f076578616d706c6503636f6d00029b000968656c6c6fd2716f6f'],
  [
    '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
    '000103666f6f076578616d706c6503636f6d000006002020010db800000000000000000000000120010db8000000000000000000530001',
  ],
  [
    '1 example.com. ipv6hint="2001:db8:122:344::192.0.2.33"',
    '0001076578616d706c6503636f6d000006001020010db80122034400000000c0000221',
  ],
  [
    '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
    '001003666f6f076578616d706c65036f7267000000000400010004000100090268320568332d313900040004c0000201',
  ],
  [
    '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    '001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832',
  ],
  [
    '16 foo.example.org. alpn=f\\\\\\092oo\\092,bar,h2',
    '001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832',
  ],
])('an HTTPS record with %s has the wire form of RFC 9460 appendix D', (content, wire) => {
  expect(hex(rdata('HTTPS', content).wire)).toBe(wire);
});

test('an HTTPS record writes sorted parameters in their canonical spelling', () => {
  const parsed = rdata(
    'HTTPS',
    '01 Svc.example.net ECH="AEX+DQ==" ipv6hint=::ffff:192.0.2.1 Port="0443" key23 alpn="h2,h3" mandatory=port,alpn',
  );
  const params = 'mandatory=alpn,port alpn="h2,h3" port=443 ech=AEX+DQ== ipv6hint=::ffff:c000:201 key23=""';
  expect(parsed).toMatchObject({
    content: `1 svc.example.net ${params}`,
    rdata: `1 svc.example.net. ${params}`,
    target: 'svc.example.net',
    priority: null,
  });
});

test('an HTTPS record writes semicolon and parentheses as decimal escapes', () => {
  expect(rdata('HTTPS', '1 . key99="a;(b)"').rdata).toBe('1 . key99="a\\059\\040b\\041"');
  expect(rdata('HTTPS', '1 . alpn="a;b"').rdata).toBe('1 . alpn="a\\059b"');
});

test.each([
  ['1 . key1=\\002h2\\002h3', '1 . alpn="h2,h3"'],
  ['1 . alpn=h2 key2', '1 . alpn="h2" no-default-alpn'],
  ['1 . alpn=h2 no-default-alpn=""', '1 . alpn="h2" no-default-alpn'],
  ['1 . key3=\\001\\187', '1 . port=443'],
  ['1 . key4=\\192\\000\\002\\001', '1 . ipv4hint=192.0.2.1'],
  ['1 . key0=\\000\\001\\000\\003 alpn=h2 port=1', '1 . mandatory=alpn,port alpn="h2" port=1'],
  ['1 . mandatory=key1,key65534 alpn=h2 key65534=x', '1 . mandatory=alpn,key65534 alpn="h2" key65534="x"'],
  ['1 . key65000=4\\ 3', '1 . key65000="4 3"'],
  ['1 . key7="/q{?dns}"', '1 . key7="/q{?dns}"'],
  ['0 .', '0 .'],
  ['1 tld.', '1 tld.'],
  ['1 _svc.example.net', '1 _svc.example.net.'],
])('an HTTPS record with %s is served as %s', (content, expected) => {
  expect(rdata('HTTPS', content).rdata).toBe(expected);
});

test.each([
  // RFC 9460 appendix D.3, the failure cases.
  ['a repeated key', '1 foo.example.com. key123=abc key123=def'],
  ['mandatory without value', '1 foo.example.com. mandatory'],
  ['alpn without value', '1 foo.example.com. alpn'],
  ['port without value', '1 foo.example.com. port'],
  ['ipv4hint without value', '1 foo.example.com. ipv4hint'],
  ['ipv6hint without value', '1 foo.example.com. ipv6hint'],
  ['no-default-alpn with a value', '1 foo.example.com. alpn=h2 no-default-alpn=abc'],
  ['a mandatory key that is absent', '1 foo.example.com. mandatory=key123'],
  ['mandatory in its own list', '1 foo.example.com. mandatory=mandatory'],
  ['a mandatory key listed twice', '1 foo.example.com. mandatory=key123,key123 key123=abc'],
  // The rest of sections 2.1, 2.4, 7 and appendix A.
  ['no target', '1'],
  ['a target of one label', '1 svc alpn=h2'],
  ['a target that is an address', '1 192.0.2.1'],
  ['a priority over 65535', '65536 .'],
  ['a priority that is not a number', 'x .'],
  ['parameters in alias form', '0 svc.example.net alpn=h2'],
  ['no-default-alpn alone', '1 . no-default-alpn'],
  ['an unknown key', '1 . echconfig=YQ=='],
  ['a key with leading zeros', '1 . key007=x'],
  ['key65535', '1 . key65535=x'],
  ['key65536', '1 . key65536=x'],
  ['a quoted key', '1 . "alpn"=h2'],
  ['a quoted pair', '1 . "alpn=h2"'],
  ['no key', '1 . =h2'],
  ['a blank before the equals sign', '1 . alpn =h2'],
  ['a blank after the equals sign', '1 . alpn= h2'],
  ['an empty value', '1 . alpn=""'],
  ['an open quote', '1 . alpn="h2'],
  ['a text after the quote', '1 . alpn="h2"port=1'],
  ['a quote inside', '1 . alpn=h"2'],
  ['a bad escape', '1 . key99=\\256'],
  ['a lone backslash', '1 . key99=a\\'],
  ['an unquoted semicolon', '1 . alpn=h2;x'],
  ['parentheses', '1 . (alpn=h2)'],
  ['an empty protocol', '1 . alpn=h2,'],
  ['a protocol of 256 octets', `1 . alpn=${'a'.repeat(256)}`],
  ['a list escape of another character', '1 . alpn=h2\\\\.h3'],
  ['a list that ends in a backslash', '1 . alpn="h2\\\\"'],
  ['an alpn wire value that is short', '1 . key1=\\003h2'],
  ['an alpn wire value with an empty protocol', '1 . key1=\\000'],
  ['a protocol with an unprintable octet', '1 . alpn=h\\0002'],
  ['a port over 65535', '1 . port=65536'],
  ['two ports', '1 . port=1,2'],
  ['an escaped port', '1 . port=\\049'],
  ['a port wire value of one octet', '1 . key3=\\001'],
  ['a bad ipv4hint', '1 . ipv4hint=192.0.2'],
  ['an escaped ipv4hint', '1 . ipv4hint=192\\.0.2.1'],
  ['an ipv6hint that is IPv4', '1 . ipv6hint=192.0.2.1'],
  ['a hint wire value of odd length', '1 . key6=\\001\\002'],
  ['ech that is not base64', '1 . ech=...'],
  ['ech without padding', '1 . ech=Zm9vMA'],
  ['ech with stray bits', '1 . ech=Zm9vMB=='],
  ['an escape in mandatory', '1 . mandatory=\\alpn alpn=h2'],
  ['a mandatory wire value out of order', '1 . key0=\\000\\003\\000\\001 alpn=h2 port=1'],
  ['key65535 in a mandatory wire value', '1 . key0=\\255\\255'],
  ['the generic form of RFC 3597', '\\# 3 000100'],
])('an HTTPS record refuses %s', (_, content) => {
  expect(refusal('HTTPS', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});

test('an HTTPS record is the same value in either spelling of a key', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ min: 0x21, max: 0x7e, minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 7, max: 65_534 }),
      (protocols, octets, key) => {
        fc.pre(protocols.every((protocol) => !protocol.includes(0x22)));
        const list = protocols.map((one) => decimalEscapes(Uint8Array.of(one.length)) + decimalEscapes(one)).join('');
        const parsed = rdata('HTTPS', `1 . key1="${list}" key${key}="${decimalEscapes(octets)}"`);
        expect(rdata('HTTPS', parsed.rdata)).toEqual(parsed);
        expect(hex(parsed.wire)).toContain(protocols.map((one) => hex(Uint8Array.of(one.length)) + hex(one)).join(''));
        expect(hex(parsed.wire).endsWith(hex(octets))).toBe(true);
      },
    ),
  );
});
