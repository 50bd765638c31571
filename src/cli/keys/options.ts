// The options of an API key that are not rights.
import type { OptionDescription } from '../command.ts';
import { type RightsGiven, rightsOf, withoutUndefined } from '../terms.ts';

export interface MintGiven extends RightsGiven {
  name?: string;
  tsig?: boolean;
  tsigAlgorithm?: string;
}

export const TSIG_OPTIONS: readonly OptionDescription[] = [
  {
    flags: '--tsig',
    describe: 'also make a TSIG key with the same rights, for DNS updates and transfers, and print it as a key file',
  },
  {
    flags: '--tsig-algorithm <algorithm>',
    describe:
      'algorithm of the TSIG key: hmac-sha1, hmac-sha224, hmac-sha256 (the default), hmac-sha384, hmac-sha512, or hmac-md5 for old clients; implies --tsig',
  },
];

export const KEY_ID = { usage: '<keyId>', describe: 'id of the key, as "keys list" prints it' };

/** The fields of the contract that the options of a new key set. */
export function keyFields({ name, tsig, tsigAlgorithm, ...rights }: MintGiven): Record<string, unknown> {
  const wish = tsigAlgorithm === undefined ? (tsig ? {} : undefined) : { algorithm: tsigAlgorithm };
  return withoutUndefined({ name, tsig: wish, ...rightsOf(rights) });
}
