// Keeps an own certificate in a Secret that all replicas share. All writers are equal: the first one that finds
// something to renew writes the Secret, and the others plan again with the result.
import type { KubeApi } from '../api/api.ts';
import type { ObjectName } from '../objects/resource.ts';
import { changeSecret, type SecretTexts } from '../objects/secrets.ts';
import { type OwnCertificate, renewed } from './own-certificate.ts';

/** The names of a Service inside a cluster; the first one is the name that kube-apiserver verifies. */
export function serviceHosts(service: string, namespace: string): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}`, service];
}

/**
 * The certificate of the Secret; makes or renews it if necessary.
 * @param labels a new Secret gets them
 * @throws KubeError if the Secret cannot be written
 */
export async function keepOwnCertificate(
  api: KubeApi,
  at: ObjectName,
  { labels = {}, ...renewal }: Parameters<typeof renewed>[1] & { readonly labels?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<OwnCertificate> {
  const texts = await changeSecret(
    api,
    at,
    async (storedSecret) => {
      const storedCertificate = storedSecret && fromTexts(storedSecret.texts);
      const next = await renewed(storedCertificate, renewal);
      return next === storedCertificate ? null : { texts: textsOf(next), type: 'kubernetes.io/tls', labels };
    },
    signal,
  );
  return fromTexts(texts);
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
