// Signatures in the form that cosign, Kyverno, policy-controller, Flux, CRI-O and Podman verify: a payload that names
// an image by its digest, and a signed statement about an image that contains its bill of materials. Pure, except for
// reading the key.
//
// Sources: cosign's SIGNATURE_SPEC.md, the DSSE protocol 1.0.2 and in-toto's Statement 0.1. Nothing goes to a
// transparency log.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A blob of an attachment, with the annotations of its layer. */
export interface SignedBlob {
  mediaType: string;
  bytes: Buffer;
  annotations: Readonly<Record<string, string>>;
}

export interface SigningKey {
  private: KeyObject;
  public: KeyObject;
}

const SIGNATURE = 'dev.cosignproject.cosign/signature';
const PAYLOAD = 'application/vnd.dev.cosign.simplesigning.v1+json';
const ENVELOPE = 'application/vnd.dsse.envelope.v1+json';
const STATEMENT = 'application/vnd.in-toto+json';
const CYCLONEDX = 'https://cyclonedx.org/bom';
const MAKE_ONE = 'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out release.key';

/** @throws Error that says how to make a key, when the file has none that fits */
export async function readSigningKey(file: string, passphraseFile?: string): Promise<SigningKey> {
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
  return { private: read, public: createPublicKey(read) };
}

/** @param reference the image with its tag, as people pull it. @param digest sha256:… of its manifest */
export function signImage(key: SigningKey, reference: string, digest: string): SignedBlob {
  const bytes = imagePayload(reference, digest);
  return {
    mediaType: PAYLOAD,
    bytes,
    annotations: { [SIGNATURE]: sign('sha256', bytes, key.private).toString('base64') },
  };
}

/** Whether the blob is a signature of this image by this key. */
export function isSignature(blob: SignedBlob, key: SigningKey, reference: string, digest: string): boolean {
  const signature = Buffer.from(blob.annotations[SIGNATURE] ?? '', 'base64');
  return blob.bytes.equals(imagePayload(reference, digest)) && verify('sha256', blob.bytes, key.public, signature);
}

/** @param bill the bill of materials of the image, CycloneDX as JSON */
export function attestBill(key: SigningKey, repository: string, digest: string, bill: string): SignedBlob {
  const statement = billStatement(repository, digest, bill);
  const sig = sign('sha256', preAuthentication(statement), key.private).toString('base64');
  const envelope = {
    payloadType: STATEMENT,
    payload: statement.toString('base64'),
    signatures: [{ keyid: '', sig }],
  };
  return {
    mediaType: ENVELOPE,
    bytes: Buffer.from(JSON.stringify(envelope)),
    annotations: { [SIGNATURE]: '', predicateType: CYCLONEDX },
  };
}

/** Whether the blob is the statement about this image with this bill of materials, signed by this key. */
export function isAttestation(
  blob: SignedBlob,
  key: SigningKey,
  repository: string,
  digest: string,
  bill: string,
): boolean {
  if (blob.mediaType !== ENVELOPE) return false;
  const { payload, signatures } = JSON.parse(blob.bytes.toString()) as {
    payload: string;
    signatures: { sig: string }[];
  };
  const statement = billStatement(repository, digest, bill);
  const isOurs = ({ sig }: { sig: string }) =>
    verify('sha256', preAuthentication(statement), key.public, Buffer.from(sig, 'base64'));
  return Buffer.from(payload, 'base64').equals(statement) && signatures.some(isOurs);
}

function imagePayload(reference: string, digest: string): Buffer {
  const critical = {
    identity: { 'docker-reference': reference },
    image: { 'docker-manifest-digest': digest },
    type: 'cosign container image signature',
  };
  return Buffer.from(JSON.stringify({ critical, optional: null }));
}

function billStatement(repository: string, digest: string, bill: string): Buffer {
  const [algorithm = '', value = ''] = digest.split(':');
  return Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v0.1',
      predicateType: CYCLONEDX,
      subject: [{ name: repository, digest: { [algorithm]: value } }],
      predicate: JSON.parse(bill),
    }),
  );
}

/** The bytes that DSSE signs: PAE in its protocol.md. */
function preAuthentication(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${STATEMENT.length} ${STATEMENT} ${body.length} `), body]);
}
