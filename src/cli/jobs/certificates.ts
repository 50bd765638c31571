// `zonestead certificates`: creates the certificates of the api and of the built-in Postgres in Secrets, and renews
// them in time. Their pods and the clients mount the Secrets. The kubelet of each machine updates their files at
// another time, so a new authority is announced before it signs.
import { X509Certificate } from 'node:crypto';
import type { JobContext } from './context.ts';
import type { CertificatesOptions } from './options.ts';

/** The kubelet updates files within about two minutes. The renewal runs once a day. */
const ANNOUNCE_MS = 12 * 60 * 60_000;

/**
 * Can be repeated, also by two Jobs at once.
 * @returns the authorities of each Secret, as PEM
 * @throws KubeError if a Secret cannot be written; Error if a certificate is needed and the clock is off
 */
export async function keepCertificates(
  { certificates, labels }: CertificatesOptions,
  { api, namespace, log, clockDifference }: Pick<JobContext, 'api' | 'namespace' | 'log' | 'clockDifference'>,
  signal: AbortSignal,
  now = new Date(),
): Promise<Map<string, string>> {
  // Loads libraries that most commands do not need.
  const { keepOwnCertificate } = await import('#kube/certificates/own-secret.ts');
  const authorities = new Map<string, string>();
  for (const { secret, hosts } of certificates) {
    const renewal = { hosts, now, announceMs: ANNOUNCE_MS, labels, clockDifference };
    const kept = await keepOwnCertificate(api, { namespace, name: secret }, renewal, signal);
    authorities.set(secret, kept.authorities);
    log.info({ secret, validTo: new X509Certificate(kept.certificate).validTo }, 'the certificate is up to date');
  }
  return authorities;
}
