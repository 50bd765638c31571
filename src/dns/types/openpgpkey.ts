/** OPENPGPKEY: the public key of a mail address (RFC 7929 section 2), in base64. */
import { accept, refuse, type Verdict } from '../verdict.ts';
import { base64 } from './content-fields.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields, parseBase64 } from './tokens.ts';

export const OPENPGPKEY = defineType({
  number: 61,
  layout: ['base64'],
  form: 'an OpenPGP public key in base64',
  example: 'mQENBFitwwoBCADA',
  fields: [base64('key', 'Public key')],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  if (content.includes('-----')) {
    return refuse(
      'content',
      'Write the key in base64 alone: without the lines that begin with "-----", and without headers.',
    );
  }
  const key = parseBase64(fields(content).join(''), 'key');
  if (!key.ok) return key;
  // RFC 9580 section 4.2: the first bit of every packet is set.
  if (key.value[0]! < 0x80) {
    return refuse('content', 'The octets are not an OpenPGP key; write the output of "gpg --export | base64".');
  }
  const text = key.value.toString('base64');
  return accept(plainRdata(text, text, new Uint8Array(key.value)));
}
