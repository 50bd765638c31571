/** DHCID: the client that a DHCP server has written a name for (RFC 4701 section 3), in base64. */
import { accept, refuse } from '../verdict.ts';
import { type ParseContent, plainRdata } from './rdata.ts';
import { fields, parseBase64 } from './tokens.ts';

/** Two octets for the type of the identifier, one for the type of the digest. */
const HEAD = 3;
/** RFC 4701 section 3.4: SHA-256, the only type of digest. */
const SHA256 = { type: 1, octets: 32 };

export const parseDhcid: ParseContent = (content) => {
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
};
