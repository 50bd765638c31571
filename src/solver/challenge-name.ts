// The name of a challenge in canonical form: cert-manager's request, its Challenge and the certificate may each spell
// it differently. Pure.
import { parseLookupName } from '#dns/names/name.ts';
import { plainName } from '#dns/names/plain.ts';

/**
 * Lower-case A-labels, without a leading `*.` and without the final dot (RFC 1034 section 3.1, RFC 5891 section 4). A
 * text that is not a host name is returned in lower case, so that it equals only itself.
 */
export function challengeName(text: string): string {
  const plain = plainName(text).replace(/^\*\./, '');
  const parsed = parseLookupName(plain);
  return parsed.ok ? parsed.value : plain;
}
