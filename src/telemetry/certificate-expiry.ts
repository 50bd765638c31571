// When the serving certificate of a process expires.
import type { Metrics } from './metrics.ts';

/** @returns to be called with the end of each certificate that is in use from now on */
export function watchCertificateExpiry(metrics: Pick<Metrics, 'gauge'>): (validTo: Date) => void {
  const expiry = metrics.gauge({
    name: 'serving_certificate_expiry_timestamp_seconds',
    help: 'Unix time at which the certificate that the process serves expires.',
  });
  // Without a certificate there is nothing to say. A sample of 0 would be an expired one.
  expiry.remove();
  return (validTo) => expiry.set(validTo.getTime() / 1000);
}
