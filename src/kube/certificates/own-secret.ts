// Keeps an own certificate in a Secret that all replicas share. All writers are equal: the first one that finds
// something to renew writes the Secret, and the others plan again with the result.
import type { KubeApi } from '../api/api.ts';
import type { ObjectName } from '../objects/resource.ts';
import { changeSecret, type SecretTexts } from '../objects/secrets.ts';
import { CLOCK_SKEW_MS, type OwnCertificate, renewed } from './own-certificate.ts';

interface Keeping {
  /** A new Secret gets them. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * The clock of this process minus that of kube-apiserver, in ms; null: not known. With a clock that is off, this
   * process would replace a valid certificate with one that no client accepts. Absent: not known.
   */
  readonly clockDifference?: (() => number | null) | undefined;
}

/** The names of a Service inside a cluster; the first one is the name that kube-apiserver verifies. */
export function serviceHosts(service: string, namespace: string): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}`, service];
}

/**
 * The certificate of the Secret; makes or renews it if necessary.
 * @throws KubeError if the Secret cannot be written; Error if a certificate is needed and the clock is off
 */
export async function keepOwnCertificate(
  api: KubeApi,
  at: ObjectName,
  { labels = {}, clockDifference, ...renewal }: Parameters<typeof renewed>[1] & Keeping,
  signal: AbortSignal,
): Promise<OwnCertificate> {
  const texts = await changeSecret(
    api,
    at,
    async (storedSecret) => {
      const storedCertificate = storedSecret && fromTexts(storedSecret.texts);
      const next = await renewed(storedCertificate, renewal);
      if (next === storedCertificate) return null;
      checkClock(clockDifference?.() ?? 0);
      return { texts: textsOf(next), type: 'kubernetes.io/tls', labels };
    },
    signal,
  );
  return fromTexts(texts);
}

function checkClock(differenceMs: number): void {
  if (Math.abs(differenceMs) <= CLOCK_SKEW_MS) return;
  const minutes = Math.round(Math.abs(differenceMs) / 60_000);
  throw new Error(
    `the clock of this machine is ${minutes} minutes ${differenceMs > 0 ? 'ahead of' : 'behind'} that of kube-apiserver, so no certificate is made: correct the clock that is wrong`,
  );
}

function fromTexts(texts: SecretTexts): OwnCertificate {
  return {
    authorities: texts['ca.crt'] ?? '',
    authorityKey: texts['ca.key'] ?? '',
    announcedKey: texts['next.key'] ?? '',
    certificate: texts['tls.crt'] ?? '',
    key: texts['tls.key'] ?? '',
  };
}

function textsOf({ authorities, authorityKey, announcedKey, certificate, key }: OwnCertificate): SecretTexts {
  return {
    'ca.crt': authorities,
    'ca.key': authorityKey,
    'next.key': announcedKey,
    'tls.crt': certificate,
    'tls.key': key,
  };
}
