/**
 * DNSKEY records as text: the `.key` file of BIND, the output of `pdnsutil export-zone-dnskey`, and the lines of a zone
 * file. Pure.
 */
import { readEntries, type ZoneFileLine } from '../zonefile/lexer.ts';

export interface DnskeyText {
  /** Its name in lower case without final dot; null: the text has none. */
  owner: string | null;
  flags: number;
  protocol: number;
  algorithm: number;
  /** Base64. */
  publicKey: string;
}

/** The words between the name and the type. */
const TTL_OR_CLASS = /^(?:IN|\d[\dSMHDW]*)$/i;

/** All DNSKEY records of a text. Other lines are passed over. */
export function readDnskeys(text: string): DnskeyText[] {
  const dnskeys: DnskeyText[] = [];
  for (const entry of readEntries(text)) {
    const dnskey = 'message' in entry ? null : readDnskey(entry);
    if (dnskey !== null) dnskeys.push(dnskey);
  }
  return dnskeys;
}

function readDnskey({ words, indented }: ZoneFileLine): DnskeyText | null {
  const at = words.findIndex(({ text, quoted }) => !quoted && text.toUpperCase() === 'DNSKEY');
  // Without name and type, as `zonestead zones keys status -o json` and `dig +short` print it.
  const isRdata = at < 0 && words.length >= 4 && words.slice(0, 3).every(({ text }) => /^\d{1,5}$/.test(text));
  const between = words.slice(indented ? 0 : 1, Math.max(at, 0));
  // Other types have the word in their values.
  if (!isRdata && (at < 0 || !between.every(({ text }) => TTL_OR_CLASS.test(text)))) return null;
  const [flags, protocol, algorithm, ...octets] = words.slice(at + 1).map(({ text }) => text);
  const first = isRdata || indented || at === 0 ? '@' : (words[0]?.text ?? '@');
  return {
    owner: first === '@' ? null : first.replace(/\.$/, '').toLowerCase(),
    flags: Number(flags),
    protocol: Number(protocol),
    algorithm: Number(algorithm),
    publicKey: octets.join(''),
  };
}
