// The serving certificate that a part of the installation makes for itself: an authority that signs only for it, and a
// certificate that is renewed in time. own-secret.ts stores both.
//
// @peculiar/x509 resolves its algorithms through tsyringe, which needs the Reflect metadata polyfill loaded first.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60_000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 90;
/** Long enough that every replica has read the Secret many times, and clients know a new authority. */
const RENEWED_BEFORE_DAYS = 30;
/**
 * The difference of two clocks that a new certificate allows: it is valid since this long, and a process whose clock
 * differs by more makes none.
 */
export const CLOCK_SKEW_MS = 60 * 60_000;

/** All values are PEM. */
export interface OwnCertificate {
  /** The authority that signs first, then the announced one, then earlier ones that have not expired. */
  readonly authorities: string;
  readonly authorityKey: string;
  /** The key of the announced authority, which signs nothing yet; empty if there is none. */
  readonly announcedKey: string;
  readonly certificate: string;
  readonly key: string;
}

interface Renewal {
  /** Names and addresses that the certificate is for. */
  readonly hosts: readonly string[];
  readonly now: Date;
  /**
   * The least time in ms for which a new authority is among the trusted ones before it signs. Clients that read the
   * authorities later than the server reads its certificate need it. (Default: 0.)
   */
  readonly announceMs?: number;
}

/** Returns the stored certificate if it is valid for another month, otherwise its replacement. */
export async function renewed(
  storedCertificate: OwnCertificate | undefined,
  { hosts, now, announceMs = 0 }: Renewal,
): Promise<OwnCertificate> {
  const authority = await currentAuthority(storedCertificate, now, announceMs);
  if (
    storedCertificate !== undefined &&
    isSame(storedCertificate, authority) &&
    isCertificate(storedCertificate, hosts, now)
  )
    return storedCertificate;
  const [issuer = ''] = pems(authority.authorities);
  if (storedCertificate !== undefined && isCertificate({ ...storedCertificate, ...authority }, hosts, now))
    return { ...storedCertificate, ...authority };
  return { ...authority, ...(await newCertificate(issuer, authority.authorityKey, hosts, now)) };
}

type Authority = Pick<OwnCertificate, 'authorities' | 'authorityKey' | 'announcedKey'>;

async function currentAuthority(
  storedCertificate: OwnCertificate | undefined,
  now: Date,
  announceMs: number,
): Promise<Authority> {
  if (storedCertificate === undefined) return newAuthority([], now);
  const { authorities, authorityKey, announcedKey } = storedCertificate;
  const [first = '', second = '', ...rest] = pems(authorities);
  const isUsable = isValid(first, now) && belongs(first, authorityKey);
  if (isUsable && lasts(first, now)) return { authorities, authorityKey, announcedKey };
  const isAnnounced = announcedKey !== '' && lasts(second, now) && belongs(second, announcedKey);
  if (isAnnounced) {
    const since = new X509Certificate(second).validFromDate.getTime() + CLOCK_SKEW_MS;
    if (isUsable && now.getTime() - since < announceMs) return { authorities, authorityKey, announcedKey };
    return {
      authorities: bundle([second, ...stillGood([first, ...rest], now)]),
      authorityKey: announcedKey,
      announcedKey: '',
    };
  }
  const freshAuthority = await newAuthority(stillGood(pems(authorities), now), now);
  if (!isUsable || announceMs === 0) return freshAuthority;
  const [next = ''] = pems(freshAuthority.authorities);
  return {
    authorities: bundle([first, next, ...stillGood([second, ...rest], now)]),
    authorityKey,
    announcedKey: freshAuthority.authorityKey,
  };
}

function isSame(storedCertificate: OwnCertificate, authority: Authority): boolean {
  return (
    storedCertificate.authorities === authority.authorities && storedCertificate.announcedKey === authority.announcedKey
  );
}

function isCertificate(
  { authorities, certificate, key }: OwnCertificate,
  hosts: readonly string[],
  now: Date,
): boolean {
  const [issuer = ''] = pems(authorities);
  if (!lasts(certificate, now) || !belongs(certificate, key)) return false;
  const leaf = new X509Certificate(certificate);
  const isFor = (host: string) => (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined;
  return isIssuedBy(leaf, issuer) && hosts.every(isFor);
}

function isIssuedBy(leaf: X509Certificate, issuer: string): boolean {
  try {
    return leaf.verify(new X509Certificate(issuer).publicKey);
  } catch {
    return false;
  }
}

function isValid(pem: string, now: Date): boolean {
  return lasts(pem, now, 0);
}

function lasts(pem: string, now: Date, days = RENEWED_BEFORE_DAYS): boolean {
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    // Another replica, whose clock is ahead, may have made it a moment ago.
    const isBegun = validFromDate.getTime() <= now.getTime() + CLOCK_SKEW_MS;
    return isBegun && validToDate.getTime() - now.getTime() > days * DAY_MS;
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

/** The authorities that clients must still trust until every replica serves with the new certificate. */
function stillGood(authorities: readonly string[], now: Date): string[] {
  return authorities.filter((pem) => isValid(pem, now));
}

function bundle(authorities: readonly string[]): string {
  return authorities.map((pem) => `${pem.trim()}\n`).join('');
}

function pems(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

async function newAuthority(before: readonly string[], now: Date): Promise<Authority> {
  const keys = await generateKeys();
  // A new name each time: verifiers look issuers up by name.
  const subject = new x509.Name([{ CN: [`zonestead-${randomBytes(4).toString('hex')}`] }]);
  const certificate = await x509.X509CertificateGenerator.create({
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
    authorities: bundle([certificate.toString('pem'), ...before]),
    authorityKey: privatePem(keys.privateKey),
    announcedKey: '',
  };
}

async function newCertificate(issuerPem: string, authorityKey: string, hosts: readonly string[], now: Date) {
  const issuer = new x509.X509Certificate(issuerPem);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name([{ CN: [(hosts[0] ?? 'zonestead').slice(0, 64)] }]),
    issuer: issuer.subjectName,
    ...validity(now, CERTIFICATE_DAYS, issuer.notAfter),
    publicKey: keys.publicKey,
    signingKey: await createPrivateKey(authorityKey).toCryptoKey(ALGORITHM, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => new x509.GeneralName(isIP(host) === 0 ? 'dns' : 'ip', host)),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem').trim()}\n`, key: privatePem(keys.privateKey) };
}

/** @param last the end of the authority, which a certificate does not outlive */
function validity(now: Date, days: number, last?: Date) {
  const end = now.getTime() + days * DAY_MS;
  return {
    notBefore: new Date(now.getTime() - CLOCK_SKEW_MS),
    notAfter: new Date(Math.min(end, last?.getTime() ?? end)),
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
