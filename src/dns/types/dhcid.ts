/** DHCID: the client that a DHCP server has written a name for (RFC 4701 section 3), in base64. */
import { accept, refuse, type Verdict } from '../verdict.ts';
import { base64 } from './content-fields.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseBase64 } from './tokens.ts';

/** Two octets for the type of the identifier, one for the type of the digest. */
const HEAD = 3;
/** RFC 4701 section 3.4: SHA-256, the only type of digest. */
const SHA256 = { type: 1, octets: 32 };

export const DHCID = defineType({
  number: 49,
  layout: ['base64'],
  form: 'the digest of a DHCP client in base64',
  example: 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=',
  fields: [base64('digest', 'Digest')],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const data = parseBase64(fields(content).join(''), 'content');
  if (!data.ok) return data;
  const [digestType, length] = [data.value[2], data.value.length - HEAD];
  if (length < 1 || (digestType === SHA256.type && length !== SHA256.octets)) {
    return refuse(
      'content',
      `The DHCID has ${data.value.length} octets; it has ${HEAD} and a digest, which has ${SHA256.octets} for SHA-256.`,
    );
  }
  const text = data.value.toString('base64');
  return accept(plainRdata(text, text, new Uint8Array(data.value)));
}
