// The key of a release, in the form of openssl.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const MAKE_ONE = 'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out release.key';

/** The private key. @throws Error that says how to make a key, when the file has none that fits */
export async function readSigningKey(file: string, passphraseFile?: string): Promise<KeyObject> {
  const key = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`--sign-key: ${error.message}. Make a key with: ${MAKE_ONE}`);
  });
  if (/ENCRYPTED (COSIGN|SIGSTORE) PRIVATE KEY/.test(key))
    throw new Error(
      `--sign-key ${file} is a key in the format of cosign, which only cosign reads. Make a key with: ${MAKE_ONE}. cosign takes it in with its command import-key-pair`,
    );
  const passphrase =
    passphraseFile === undefined ? undefined : (await readFile(passphraseFile, 'utf8')).replace(/\r?\n$/, '');
  let read: KeyObject;
  try {
    read = createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (error) {
    const isEncrypted = /ENCRYPTED/.test(key);
    const advice = isEncrypted ? 'Check --sign-passphrase-file' : `Make a key with: ${MAKE_ONE}`;
    throw new Error(`--sign-key ${file} cannot be read (${(error as Error).message}). ${advice}`);
  }
  const curve = read.asymmetricKeyDetails?.namedCurve;
  if (curve !== 'prime256v1')
    throw new Error(
      `--sign-key ${file} is a key of type ${[read.asymmetricKeyType, curve].filter(Boolean).join(' ')}, and must be EC P-256. Make one with: ${MAKE_ONE}`,
    );
  return read;
}
