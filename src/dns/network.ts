/** Parses an address range in CIDR form (RFC 4632, RFC 4291 section 2.3) to the one form that is stored. Pure. */
import { describeUnusable, formatIpv4, formatIpv6, isV4Mapped, parseIpv4, parseIpv6 } from '#base/address.ts';
import { accept, clip, refuse, type Verdict } from './verdict.ts';

const FORM = /^([0-9a-fA-F:.]{2,45})(?:\/([0-9]{1,3}))?$/;

/** The bits before the IPv4 address in an IPv6 address that holds one (RFC 4291 section 2.5.5.2). */
const MAPPED_BITS = 96;

/**
 * `10.0.0.0/8`, `2001:db8::/32`; an address alone is the range of that one address. The IPv6 form of an IPv4 network is
 * refused: no client has an address in it.
 * @param field named in a problem
 */
export function parseNetwork(text: string, field: string): Verdict<string> {
  if (text.includes('%')) {
    const reason = describeUnusable(text.replace(/\/[0-9]+$/, ''));
    if (reason !== null) return refuse(field, `${clip(text)} ${reason}.`);
  }
  const [, address = '', prefix] = FORM.exec(text) ?? [];
  const v4 = parseIpv4(address);
  const octets = v4 ?? parseIpv6(address);
  const bits = octets === null ? 0 : octets.length * 8;
  const length = prefix === undefined ? bits : Number(prefix);
  if (octets === null || length > bits) {
    return refuse(field, `${clip(text)} is not a network; write for instance "192.0.2.0/24" or "2001:db8::/32".`);
  }
  if (v4 === null && isV4Mapped(octets) && length >= MAPPED_BITS) {
    const plainText = `${formatIpv4(octets.subarray(12))}${prefix === undefined ? '' : `/${length - MAPPED_BITS}`}`;
    return refuse(field, `${clip(text)} is an IPv4 network in the form of IPv6; write ${clip(plainText)}.`);
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
