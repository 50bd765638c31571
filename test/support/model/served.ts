// The real answer of a name server in the terms of the model: read from the wire by dns-packet.
import type { Answer } from 'dns-packet';
import type { Resolver } from '../resolver.ts';
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
