// Encrypts secrets that the database keeps, so that a dump holds none that can be used. A keyring has named keys of
// AES-256-GCM (NIST SP 800-38D): the first one encrypts, and all of them decrypt, so that a key can be replaced.
// A text of the database is `v1.<name of the key>.<nonce, ciphertext and tag in base64url>`.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_OCTETS = 12;
const TAG_OCTETS = 16;
/** The beginning of an encrypted text, with the name of its key. Postgres reads the pattern too. */
export const SEALED_PATTERN = String.raw`^v1\.([a-z0-9-]{1,40})\.`;
const SEALED = new RegExp(String.raw`${SEALED_PATTERN}([\w-]+)$`);

export interface KeyringKey {
  /** Lowercase letters, digits and hyphens. */
  readonly name: string;
  /** 32 octets. Secret. */
  readonly octets: Uint8Array;
}

export class Keyring {
  readonly #keys: readonly KeyringKey[];

  /** @param keys none: secrets are kept in clear */
  constructor(keys: readonly KeyringKey[]) {
    this.#keys = keys;
  }

  /** Null: it encrypts nothing. */
  get currentName(): string | null {
    return this.#keys[0]?.name ?? null;
  }

  has(name: string): boolean {
    return this.#keys.some((key) => key.name === name);
  }

  /**
   * @param owner binds the text to its place: it can be opened with the same one only
   * @returns the text in clear if the keyring is empty
   */
  seal(clear: string, owner: string): string {
    const [key] = this.#keys;
    if (key === undefined) return clear;
    const nonce = randomBytes(NONCE_OCTETS);
    const cipher = createCipheriv(ALGORITHM, key.octets, nonce).setAAD(associatedData(owner));
    const octets = Buffer.concat([nonce, cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${sealedPrefix(key.name)}${octets.toString('base64url')}`;
  }

  /**
   * @param text the result of `seal`, or a text in clear
   * @throws Error that names the key if the keyring lacks it, if it has other octets, or if `owner` is another one
   */
  open(text: string, owner: string): string {
    const name = nameOfKey(text);
    if (name === null) return text;
    const key = this.#keys.find((one) => one.name === name);
    if (key === undefined) throw new Error(`it is encrypted with the key "${name}", which is missing`);
    const octets = Buffer.from(SEALED.exec(text)?.[2] ?? '', 'base64url');
    try {
      const decipher = createDecipheriv(ALGORITHM, key.octets, octets.subarray(0, NONCE_OCTETS));
      decipher.setAAD(associatedData(owner)).setAuthTag(octets.subarray(-TAG_OCTETS));
      const clear = decipher.update(octets.subarray(NONCE_OCTETS, -TAG_OCTETS));
      return Buffer.concat([clear, decipher.final()]).toString('utf8');
    } catch {
      throw new Error(`it does not open with the key "${name}", which may have another value now`);
    }
  }
}

/** The beginning of each text that the key with this name encrypted. */
export const sealedPrefix = (name: string) => `v1.${name}.`;

const associatedData = (owner: string) => Buffer.from(owner);

/** The name of the key that encrypted a text; null: it is in clear. */
export function nameOfKey(text: string): string | null {
  return SEALED.exec(text)?.[1] ?? null;
}

const KEY_FORM = /^([a-z0-9-]{1,40}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads keys of the form `name:BASE64`, with commas or white space between them.
 * @returns the keys, or a problem as the end of a sentence, which does not repeat them
 */
export function parseKeyringKeys(text: string): KeyringKey[] | string {
  const found = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((key) => KEY_FORM.exec(key));
  const keys = found.map((match) => ({ name: match?.[1] ?? '', octets: Buffer.from(match?.[2] ?? '', 'base64') }));
  if (keys.length === 0 || found.includes(null))
    return 'must have keys like k1:BASE64: a name of at most 40 lowercase letters, digits and hyphens, and 32 octets, as "openssl rand -base64 32" prints them';
  if (new Set(keys.map(({ name }) => name)).size < keys.length) return 'has two keys with one name';
  return keys;
}

/**
 * A new key in the form of parseKeyringKeys. Its name is new too, so that a key that was made again after a loss is not
 * taken for the earlier one.
 */
export function newKeyringKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}
