/** URI: priority, weight and target of a service (RFC 7553). The target is an absolute URI in the sense of RFC 3986. */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { type ParseContent, plainRdata } from './rdata.ts';
import { escapeOctets, parseUint, readStrings } from './tokens.ts';

const SHAPE = 'A URI record is "priority weight target", for instance 10 1 "https://www.example.com/".';
/** RFC 3986 sections 2 and 3: a scheme, and characters that a URI may have; all others are percent-encoded. */
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;

export const parseUri: ParseContent = (content) => {
  const read = readStrings(Buffer.from(content, 'utf8'), 3, SHAPE);
  if (!read.ok) return read;
  const [first = '', second = '', target = ''] = read.value.map(({ octets }) => Buffer.from(octets).toString('latin1'));
  const priority = parseUint(first, 65_535, 'priority');
  if (!priority.ok) return priority;
  const weight = parseUint(second, 65_535, 'weight');
  if (!weight.ok) return weight;
  if (!ABSOLUTE.test(target)) {
    return refuse(
      'content',
      `The target ${clip(target)} is not a URI: begin with a scheme such as "https:", and percent-encode characters that a URI may not have (RFC 3986).`,
    );
  }
  const octets = Buffer.from(target, 'latin1');
  const text = `${priority.value} ${weight.value} "${escapeOctets(octets)}"`;
  return accept(plainRdata(text, text, concat([uint16(priority.value), uint16(weight.value), octets])));
};
