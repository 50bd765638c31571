// The real answer of a name server in the terms of the model: read from the wire by dns-packet.
import dnsPacket, { type Answer } from 'dns-packet';
import type { Resolver } from '../dns/resolver.ts';
import type { Expected } from './answers.ts';

export async function ask(dns: Resolver, name: string, type: string): Promise<Expected> {
  const { rcode, aa, packet } = await dns.lookup(name, type);
  const at = (packet.answers ?? []).filter((answer) => answer.name === name && answer.type !== 'RRSIG');
  // Where a CNAME leads to is another question; the model asks that one as well.
  if (at.length > 0) return { kind: 'answer', lines: at.map(line).sort() };
  if (rcode === 'NXDOMAIN') return { kind: 'nxdomain', lines: [] };
  if (rcode !== 'NOERROR') return { kind: rcode === 'REFUSED' ? 'refused' : 'servfail', lines: [] };
  if (aa) return { kind: 'nodata', lines: [] };
  const servers = (packet.authorities ?? []).filter(({ type: of }) => of === 'NS').map(({ data }) => String(data));
  return { kind: 'referral', lines: servers.sort() };
}

function line({ ttl, type, data }: Answer): string {
  return `${ttl} ${type} ${value(type, data)}`;
}

/** The value of RDATA in the terms of the model, read by dns-packet out of a message. */
export function servedValue(type: string, rdata: Uint8Array): string {
  const packet = dnsPacket.decode(messageWith(TYPE_NUMBERS[type] as number, rdata));
  const [answer] = packet.answers ?? [];
  return value(type, (answer as { data: unknown }).data);
}

/** A message whose one answer is at the root. RFC 1035 section 4.1 */
function messageWith(type: number, rdata: Uint8Array): Buffer {
  const message = Buffer.alloc(12 + 11 + rdata.length);
  message.writeUInt16BE(0x8400, 2);
  message.writeUInt16BE(1, 6);
  message.writeUInt16BE(type, 13);
  message.writeUInt16BE(1, 15);
  message.writeUInt16BE(rdata.length, 21);
  message.set(rdata, 23);
  return message;
}

const TYPE_NUMBERS: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  TLSA: 52,
  HTTPS: 65,
  CAA: 257,
};

type Fields = Record<string, string | number | Buffer>;

function value(type: string, data: unknown): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return data.toString('hex');
  if (Array.isArray(data)) return data.map((part) => `"${part}"`).join(' ');
  const fields = data as Fields;
  const words = (FIELDS[type] ?? []).map((field) => fields[field] as string | number | Buffer);
  return words.map((word) => (Buffer.isBuffer(word) ? word.toString('hex') : String(word))).join(' ');
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  CAA: ['flags', 'tag', 'value'],
  DS: ['keyTag', 'algorithm', 'digestType', 'digest'],
  MX: ['preference', 'exchange'],
  SRV: ['priority', 'weight', 'port', 'target'],
  TLSA: ['usage', 'selector', 'matchingType', 'certificate'],
};
