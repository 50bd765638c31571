/** Parses an address range in CIDR form (RFC 4632, RFC 4291 section 2.3) to the one form that is stored. Pure. */
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from './types/address.ts';
import { accept, clip, refuse, type Verdict } from './verdict.ts';

const FORM = /^([0-9a-fA-F:.]{2,45})(?:\/([0-9]{1,3}))?$/;

/** `10.0.0.0/8`, `2001:db8::/32`; an address alone is the range of that one address. @param field named in a problem */
export function parseNetwork(text: string, field: string): Verdict<string> {
  const [, address = '', prefix] = FORM.exec(text) ?? [];
  const v4 = parseIpv4(address);
  const octets = v4 ?? parseIpv6(address);
  const bits = octets === null ? 0 : octets.length * 8;
  const length = prefix === undefined ? bits : Number(prefix);
  if (octets === null || length > bits) {
    return refuse(field, `${clip(text)} is not a network; write for instance "192.0.2.0/24" or "2001:db8::/32".`);
  }
  const base = octets.map((octet, index) => octet & buildMask(length - index * 8));
  const networkText = `${v4 === null ? formatIpv6(base, { hexOnly: true }) : formatIpv4(base)}/${length}`;
  if (base.some((octet, index) => octet !== octets[index])) {
    return refuse(field, `${clip(text)} has bits behind its prefix; write ${clip(networkText)}, or a longer prefix.`);
  }
  return accept(networkText);
}

/** The mask of one octet of which the first `bits` bits count. */
function buildMask(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}
