// The serving certificate that the solver makes for itself: an authority that signs only for it, and a certificate that is
// renewed in time. own-serving.ts stores both.
//
// @peculiar/x509 resolves its algorithms through tsyringe, which needs the Reflect metadata polyfill loaded first.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60_000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 90;
/** Long enough that every replica has read the Secret many times, and kube-apiserver knows a new authority. */
const RENEWED_BEFORE_DAYS = 30;
const CLOCK_SKEW_MS = 5 * 60_000;

/** All values are PEM. */
export interface OwnCertificate {
  /** The current authority first, then earlier ones that have not expired. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

/** Returns the stored certificate if it is valid for another month, otherwise its replacement. */
export async function renewed(
  kept: OwnCertificate | undefined,
  hosts: readonly string[],
  now: Date,
): Promise<OwnCertificate> {
  const authority =
    kept !== undefined && isAuthority(kept, now)
      ? { authorities: kept.authorities, authorityKey: kept.authorityKey }
      : await newAuthority(stillGood(kept?.authorities ?? '', now), now);
  if (kept !== undefined && kept.authorities === authority.authorities && isCertificate(kept, hosts, now)) return kept;
  const [issuer = ''] = pems(authority.authorities);
  return { ...authority, ...(await newCertificate(issuer, authority.authorityKey, hosts, now)) };
}

function isAuthority({ authorities, authorityKey }: OwnCertificate, now: Date): boolean {
  const [first = ''] = pems(authorities);
  return lasts(first, now) && belongs(first, authorityKey);
}

function isCertificate(
  { authorities, certificate, key }: OwnCertificate,
  hosts: readonly string[],
  now: Date,
): boolean {
  const [issuer = ''] = pems(authorities);
  if (!lasts(certificate, now) || !belongs(certificate, key)) return false;
  const leaf = new X509Certificate(certificate);
  return (
    leaf.verify(new X509Certificate(issuer).publicKey) && hosts.every((host) => leaf.checkHost(host) !== undefined)
  );
}

function lasts(pem: string, now: Date): boolean {
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    return validFromDate <= now && validToDate.getTime() - now.getTime() > RENEWED_BEFORE_DAYS * DAY_MS;
  } catch {
    return false;
  }
}

function belongs(pem: string, key: string): boolean {
  try {
    return new X509Certificate(pem).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The authorities that kube-apiserver must still trust until every replica serves with the new certificate. */
function stillGood(bundle: string, now: Date): string[] {
  return pems(bundle).filter((pem) => {
    try {
      return new X509Certificate(pem).validToDate > now;
    } catch {
      return false;
    }
  });
}

function pems(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

async function newAuthority(before: readonly string[], now: Date) {
  const keys = await generateKeys();
  // A new name each time: verifiers look issuers up by name.
  const subject = new x509.Name([{ CN: [`zonestead-solver-${randomBytes(4).toString('hex')}`] }]);
  const made = await x509.X509CertificateGenerator.create({
    subject,
    issuer: subject,
    ...validity(now, AUTHORITY_DAYS),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    authorities: [made.toString('pem'), ...before].map((pem) => `${pem.trim()}\n`).join(''),
    authorityKey: privatePem(keys.privateKey),
  };
}

async function newCertificate(issuerPem: string, authorityKey: string, hosts: readonly string[], now: Date) {
  const issuer = new x509.X509Certificate(issuerPem);
  const keys = await generateKeys();
  const made = await x509.X509CertificateGenerator.create({
    subject: new x509.Name([{ CN: [(hosts[0] ?? 'zonestead-solver').slice(0, 64)] }]),
    issuer: issuer.subjectName,
    ...validity(now, CERTIFICATE_DAYS),
    publicKey: keys.publicKey,
    signingKey: await createPrivateKey(authorityKey).toCryptoKey(ALGORITHM, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((host) => new x509.GeneralName('dns', host))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: `${made.toString('pem').trim()}\n`, key: privatePem(keys.privateKey) };
}

function validity(now: Date, days: number) {
  return {
    notBefore: new Date(now.getTime() - CLOCK_SKEW_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    // Positive and never zero (RFC 5280, 4.1.2.2).
    serialNumber: randomBytes(16).toString('hex').replace(/^./, '4'),
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function privatePem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
