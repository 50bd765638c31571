// The record contents of the random operations, each with the result that the rules, the list and DNS must have for it.
// Written by hand from the RFCs of the types: no code of the service may be used in this file or in this folder.

export type Type =
  | 'A'
  | 'AAAA'
  | 'ALIAS'
  | 'CAA'
  | 'CNAME'
  | 'DS'
  | 'HTTPS'
  | 'MX'
  | 'NS'
  | 'PTR'
  | 'SRV'
  | 'TLSA'
  | 'TXT';

export interface Content {
  type: Type;
  /** As it is sent; `%` stands for the zone's name. */
  sent: string;
  priority?: number;
  /** As the list has it. (Default: as sent.) */
  listed?: string;
  /** As DNS answers it, in the words of served.ts. Two contents of one value are the same here. */
  served: string;
  /** The name that it points to, absolute, without final dot. */
  target?: string;
}

const HASH = 'ab'.repeat(32);
const hosts = (...more: string[]) => [...more, 'host.example.net', 'www.%', 'a.%', 'b.%', 'x.a.%', 'ns.sub.%', 'sub.%'];
const pointers = (type: Type, targets: readonly string[]): Content[] =>
  targets.map((target) => ({ type, sent: target, served: target, target }));
const plain = (type: Type, ...texts: string[]): Content[] => texts.map((sent) => ({ type, sent, served: sent }));

/** RFC 9460 section 2.2: priority, uncompressed target, and parameters as number, length, value. */
const HTTPS_ALPN = '000100' + '0001' + '0003' + '026832';
const HTTPS_PORT = '000200' + '0003' + '0002' + '20fb';
/** Alias form: priority 0, `svc.example.net`. */
const HTTPS_ALIAS = '0000' + '03737663' + '076578616d706c65' + '036e6574' + '00';
const HTTPS_OTHER_ALIAS = '0000' + '03637564' + '076578616d706c65' + '036e6574' + '00';

export const GOOD: readonly Content[] = [
  ...plain('A', '192.0.2.1', '192.0.2.2', '198.51.100.7'),
  { type: 'AAAA', sent: '2001:db8::1', served: '2001:db8::1' },
  { type: 'AAAA', sent: '2001:0DB8:0:0::1', listed: '2001:db8::1', served: '2001:db8::1' },
  { type: 'AAAA', sent: '2001:db8::2', served: '2001:db8::2' },
  ...pointers('ALIAS', hosts()),
  ...pointers('CNAME', hosts('_dmarc.example.net')),
  {
    type: 'CNAME',
    sent: 'Host.Example.NET.',
    listed: 'host.example.net',
    served: 'host.example.net',
    target: 'host.example.net',
  },
  ...pointers('NS', ['ns.example.net', 'ns2.example.net', 'ns.sub.%', 'sub.%', 'a.%', 'x.a.%']),
  ...pointers('PTR', hosts()),
  { type: 'MX', sent: 'mail.example.net', served: '10 mail.example.net', target: 'mail.example.net' },
  { type: 'MX', sent: 'Mail.example.net.', priority: 10, listed: 'mail.example.net', served: '10 mail.example.net' },
  { type: 'MX', sent: 'mail.example.net', priority: 20, served: '20 mail.example.net' },
  { type: 'MX', sent: '.', priority: 0, served: '0 .' },
  { type: 'CAA', sent: '0 issue "ca.example"', served: '0 issue ca.example' },
  { type: 'CAA', sent: '128 iodef "mailto:a@example.net"', served: '128 iodef mailto:a@example.net' },
  { type: 'DS', sent: `1 13 2 ${HASH}`, served: `1 13 2 ${HASH}` },
  { type: 'DS', sent: `1 13 2 ${HASH.toUpperCase()}`, listed: `1 13 2 ${HASH}`, served: `1 13 2 ${HASH}` },
  { type: 'DS', sent: `2 13 1 ${'cd'.repeat(20)}`, served: `2 13 1 ${'cd'.repeat(20)}` },
  { type: 'HTTPS', sent: '1 . alpn="h2"', served: HTTPS_ALPN },
  { type: 'HTTPS', sent: '2 . port=8443', served: HTTPS_PORT },
  { type: 'HTTPS', sent: '0 svc.example.net', served: HTTPS_ALIAS },
  { type: 'HTTPS', sent: '0 cud.example.net', served: HTTPS_OTHER_ALIAS },
  { type: 'SRV', sent: '1 2 5060 sip.example.net', served: '1 2 5060 sip.example.net' },
  { type: 'SRV', sent: '0 0 0 .', served: '0 0 0 .' },
  { type: 'TLSA', sent: `3 1 1 ${HASH}`, served: `3 1 1 ${HASH}` },
  { type: 'TLSA', sent: `2 0 2 ${'ef'.repeat(64)}`, served: `2 0 2 ${'ef'.repeat(64)}` },
  { type: 'TXT', sent: 'a-bare_token', served: '"a-bare_token"' },
  { type: 'TXT', sent: '"a-bare_token"', served: '"a-bare_token"' },
  { type: 'TXT', sent: '"one" "two"', served: '"one" "two"' },
  { type: 'TXT', sent: 'v=spf1 -all; x', served: '"v=spf1 -all; x"' },
];

/** Wrong in every zone. */
export const BAD: readonly Omit<Content, 'served'>[] = [
  { type: 'A', sent: '192.0.2.01' },
  { type: 'A', sent: '2001:db8::1' },
  { type: 'A', sent: '192.0.2.1', priority: 1 },
  { type: 'AAAA', sent: '192.0.2.1' },
  { type: 'ALIAS', sent: '.' },
  { type: 'CAA', sent: '1 issue "ca.example"' },
  { type: 'CNAME', sent: '192.0.2.1' },
  { type: 'DS', sent: '1 13 2 abcd' },
  { type: 'HTTPS', sent: '0 svc.example.net alpn=h2' },
  { type: 'HTTPS', sent: '1 . no-default-alpn' },
  { type: 'MX', sent: '10 mail.example.net' },
  { type: 'MX', sent: '.', priority: 5 },
  { type: 'NS', sent: 'ns_1.example.net' },
  { type: 'PTR', sent: 'single' },
  { type: 'SRV', sent: '1 2 sip.example.net' },
  { type: 'TLSA', sent: '3 1 1 abcd' },
  { type: 'TXT', sent: 'a "quote' },
];

/** The content with the zone's name in its place. */
export function inZone<C extends { sent: string; target?: string; served?: string }>(content: C, zone: string): C {
  const put = (text: string) => text.replaceAll('%', zone);
  const { sent, target, served } = content;
  return {
    ...content,
    sent: put(sent),
    ...(target === undefined ? {} : { target: put(target) }),
    ...(served === undefined ? {} : { served: put(served) }),
  };
}
