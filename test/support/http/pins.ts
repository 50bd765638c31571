// The pin of a certificate, as peers of transfers over TLS compare it.
import { createHash, X509Certificate } from 'node:crypto';

/** @param certificate in PEM */
export function pinOf(certificate: string): string {
  const { publicKey } = new X509Certificate(certificate);
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
