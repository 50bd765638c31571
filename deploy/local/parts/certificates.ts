// Certificate authorities, certificates and key pairs as PEM files of mode 600, made when missing and kept while they
// are valid for at least another week.
//
// @peculiar/x509 resolves its algorithms through tsyringe, which needs the Reflect metadata polyfill loaded first.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

/** P-256 keys: made in a millisecond, and every part of the stack (Go and Node) takes them. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60_000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
const KEPT_WHEN_GOOD_FOR_DAYS = 7;
/**
 * The key identifiers of the subject and of the authority (RFC 5280, 4.2.1.1 and 4.2.1.2) are in every certificate made
 * here.
 */
const KEY_IDENTIFIERS = 2;
const CLOCK_SKEW_MS = 5 * 60_000;

/** A certificate with its private key, as files and as PEM text. */
export interface Credential {
  certificateFile: string;
  keyFile: string;
  certificate: string;
  key: string;
}

export interface CredentialFiles {
  /** Made when missing (mode 700). */
  dir: string;
  /** <name>.crt and <name>.key. */
  name: string;
  /** (Default: the system's clock.) */
  now?: () => Date;
}

export interface Subject {
  commonName: string;
  /** Kubernetes reads them as the user's groups. */
  organizations?: readonly string[];
}

/** A self-signed certificate authority, kept while it is good for more than 7 days. */
export async function ensureAuthority(options: CredentialFiles & { commonName: string }): Promise<Credential> {
  const subject = subjectName(options);
  return ensure(options, undefined, AUTHORITY_DAYS, subject, [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(
      x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
      true,
    ),
  ]);
}

export interface CertificateOptions extends CredentialFiles, Subject {
  authority: Credential;
  /** Names and IP addresses of a server. With hosts it is a server's certificate, without a client's. */
  hosts?: readonly string[];
  /** True: a server's certificate that is good for a client too (members of one cluster among themselves). */
  client?: boolean;
}

/**
 * A certificate of this authority, kept while it is good for more than 7 days and says what is asked for.
 * @throws when neither a file can be read nor written.
 */
export async function ensureCertificate(options: CertificateOptions): Promise<Credential> {
  const { hosts = [], client = hosts.length === 0 } = options;
  const uses = [
    ...(hosts.length > 0 ? [x509.ExtendedKeyUsage.serverAuth] : []),
    ...(client ? [x509.ExtendedKeyUsage.clientAuth] : []),
  ];
  const names = hosts.map((host) => new x509.GeneralName(isIP(host) === 0 ? 'dns' : 'ip', host));
  return ensure(options, options.authority, CERTIFICATE_DAYS, subjectName(options), [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension(uses),
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
  ]);
}

/** A key pair without certificate: <name>.key (PKCS #8) and <name>.pub (SPKI). Never renewed. */
export async function ensureKeyPair({
  dir,
  name,
}: {
  dir: string;
  name: string;
}): Promise<{ keyFile: string; publicFile: string }> {
  const files = { keyFile: join(dir, `${name}.key`), publicFile: join(dir, `${name}.pub`) };
  if ((await readText(files.keyFile)) !== undefined && (await readText(files.publicFile)) !== undefined) return files;
  const keys = await generateKeys();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writePrivately(files.keyFile, privatePem(keys.privateKey));
  await writePrivately(
    files.publicFile,
    KeyObject.from(keys.publicKey).export({ type: 'spki', format: 'pem' }).toString(),
  );
  return files;
}

/** As data, not as text: a name may hold commas, equal signs and colons. */
function subjectName({ commonName, organizations = [] }: Subject): x509.Name {
  return new x509.Name([...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }]);
}

async function ensure(
  { dir, name, now = () => new Date() }: CredentialFiles,
  authority: Credential | undefined,
  days: number,
  subject: x509.Name,
  extensions: x509.Extension[],
): Promise<Credential> {
  const files = { certificateFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) };
  const [certificate, key] = [await readText(files.certificateFile), await readText(files.keyFile)];
  if (certificate !== undefined && key !== undefined) {
    const kept = { ...files, certificate, key };
    if (isGood(kept, authority ?? kept, subject, extensions, now())) return kept;
  }
  const keys = await generateKeys();
  const at = now().getTime();
  const issuer = authority === undefined ? undefined : new x509.X509Certificate(authority.certificate);
  const made = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer?.subjectName ?? subject,
    notBefore: new Date(at - CLOCK_SKEW_MS),
    notAfter: new Date(at + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: authority === undefined ? keys.privateKey : await importKey(authority.key),
    serialNumber: randomBytes(16).toString('hex').replace(/^./, '4'), // Positive and never zero (RFC 5280, 4.1.2.2).
    extensions: [
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer?.publicKey ?? keys.publicKey),
    ],
  });
  const credential = { ...files, certificate: `${made.toString('pem')}\n`, key: privatePem(keys.privateKey) };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writePrivately(files.keyFile, credential.key);
  await writePrivately(files.certificateFile, credential.certificate);
  return credential;
}

/** True when the files belong together, say what is asked for, come from this authority and stay valid for a week. */
function isGood(
  credential: Credential,
  authority: Credential,
  subject: x509.Name,
  extensions: readonly x509.Extension[],
  now: Date,
): boolean {
  try {
    const certificate = new NodeCertificate(credential.certificate);
    const issuer = new NodeCertificate(authority.certificate);
    const content = new x509.X509Certificate(credential.certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(credential.key)) &&
      certificate.verify(issuer.publicKey) &&
      content.subject === subject.toString() &&
      content.extensions.length === extensions.length + KEY_IDENTIFIERS &&
      extensions.every((wanted) => sameBytes(wanted.rawData, content.getExtension(wanted.type)?.rawData)) &&
      content.notBefore <= now &&
      content.notAfter.getTime() - now.getTime() > KEPT_WHEN_GOOD_FOR_DAYS * DAY_MS
    );
  } catch {
    return false; // Damaged: as good as missing.
  }
}

function sameBytes(a: ArrayBuffer, b: ArrayBuffer | undefined): boolean {
  return b !== undefined && Buffer.from(a).equals(Buffer.from(b));
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return createPrivateKey(pem).toCryptoKey(ALGORITHM, false, ['sign']);
}

function privatePem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** In a sibling that is renamed, so that the file is complete and has its mode from the first moment. */
async function writePrivately(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, file);
}
