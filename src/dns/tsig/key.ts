// TSIG keys (RFC 8945) with which clients sign DNS updates and queries: algorithms, names, and the file that BIND's
// tools read. Pure.

/** The algorithms of keys. All but the first are HMACs with the SHA family; `hmac-md5` is for old clients. */
export const TSIG_KEY_ALGORITHMS = [
  'hmac-md5',
  'hmac-sha1',
  'hmac-sha224',
  'hmac-sha256',
  'hmac-sha384',
  'hmac-sha512',
] as const;
export type TsigKeyAlgorithm = (typeof TSIG_KEY_ALGORITHMS)[number];

/** For keys without a chosen algorithm. */
export const DEFAULT_TSIG_KEY_ALGORITHM: TsigKeyAlgorithm = 'hmac-sha256';

interface AlgorithmFacts {
  /** The name of the hash for node:crypto. */
  hash: string;
  /**
   * The octets of a MAC, and of a secret: RFC 8945 section 6 advises secrets that are as long as the output of the
   * hash.
   */
  octets: number;
  /** The name in messages, without final dot (RFC 8945 section 6; hmac-md5 has a long one). */
  wireName: string;
}

const FACTS: Readonly<Record<TsigKeyAlgorithm, AlgorithmFacts>> = {
  'hmac-md5': { hash: 'md5', octets: 16, wireName: 'hmac-md5.sig-alg.reg.int' },
  'hmac-sha1': { hash: 'sha1', octets: 20, wireName: 'hmac-sha1' },
  'hmac-sha224': { hash: 'sha224', octets: 28, wireName: 'hmac-sha224' },
  'hmac-sha256': { hash: 'sha256', octets: 32, wireName: 'hmac-sha256' },
  'hmac-sha384': { hash: 'sha384', octets: 48, wireName: 'hmac-sha384' },
  'hmac-sha512': { hash: 'sha512', octets: 64, wireName: 'hmac-sha512' },
};

export function tsigAlgorithm(algorithm: TsigKeyAlgorithm): AlgorithmFacts {
  return FACTS[algorithm];
}

/** A key with its secret. */
export interface TsigKeyText {
  /** A domain name in lower case without final dot. */
  name: string;
  algorithm: TsigKeyAlgorithm;
  /** Base64. */
  secret: string;
}

const NAME = /^key-([a-z0-9]{1,32})\.zonestead$/;

/** The name of the TSIG key that belongs to the API key with this id. */
export function tsigNameOf(keyId: string): string {
  return `key-${keyId}.zonestead`;
}

/** The id of the API key that a TSIG key of this name belongs to. Null: no TSIG key has such a name. */
export function keyIdOfTsigName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/** The key as a file for `nsupdate -k`, `dig -k` and `named.conf`. */
export function tsigKeyFile({ name, algorithm, secret }: TsigKeyText): string {
  return `key "${name}" {\n\talgorithm ${algorithm};\n\tsecret "${secret}";\n};\n`;
}
