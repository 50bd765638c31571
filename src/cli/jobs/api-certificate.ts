// `zonestead api-certificate`: creates the certificate of the api in a Secret, and renews it in time. The api and the name servers mount
// the Secret. The kubelet of each machine updates their files at another time, so a new authority is announced before it signs.
import { X509Certificate } from 'node:crypto';
import type { JobContext } from './context.ts';
import type { CertificateOptions } from './options.ts';

/** The kubelet updates files within about two minutes. The renewal runs once a day. */
const ANNOUNCE_MS = 12 * 60 * 60_000;

/** Can be repeated, also by two Jobs at once. @throws KubeError if the Secret cannot be written */
export async function apiCertificate(
  { secret, hosts, labels }: CertificateOptions,
  { api, namespace, log }: Pick<JobContext, 'api' | 'namespace' | 'log'>,
  signal: AbortSignal,
  now = new Date(),
): Promise<void> {
  // Loads libraries that most commands do not need.
  const { keepCertificate } = await import('#kube/certificates/own-secret.ts');
  const renewal = { hosts, now, announceMs: ANNOUNCE_MS, labels };
  const { certificate } = await keepCertificate(api, { namespace, name: secret }, renewal, signal);
  log.info({ validTo: new X509Certificate(certificate).validTo }, 'the certificate of the api is up to date');
}
