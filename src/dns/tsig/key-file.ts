// Reads the file of a TSIG key, as BIND's and Knot's tools write it. Pure.
import type { TsigKey } from '../message/tsig.ts';
import { TSIG_KEY_ALGORITHMS } from './key.ts';

/** @throws Error with the accepted form */
export function readTsigKeyFile(text: string): TsigKey {
  const plain = text.replace(/(?:#|\/\/).*$/gm, '');
  const name = /\bkey\s+"?([^"\s{]+)"?\s*\{/.exec(plain)?.[1];
  const algorithm = /\balgorithm\s+"?([^";\s]+)"?\s*;/.exec(plain)?.[1]?.toLowerCase().replace(/\.$/, '');
  const secret = /\bsecret\s+"?([A-Za-z0-9+/=]+)"?\s*;/.exec(plain)?.[1];
  if (name === undefined || algorithm === undefined || secret === undefined) {
    throw new Error('the file is not a TSIG key such as key "name" { algorithm hmac-sha256; secret "…"; };');
  }
  const knownAlgorithm = TSIG_KEY_ALGORITHMS.find((each) => each === algorithm);
  if (knownAlgorithm === undefined)
    throw new Error(`${algorithm} is not an algorithm of TSIG keys; use one of ${TSIG_KEY_ALGORITHMS.join(', ')}`);
  return {
    name: name.toLowerCase().replace(/\.$/, ''),
    algorithm: knownAlgorithm,
    secret: Uint8Array.from(Buffer.from(secret, 'base64')),
  };
}
