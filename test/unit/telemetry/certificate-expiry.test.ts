// The metric of the serving certificate's end.
import { expect, test } from 'vitest';
import { watchCertificateExpiry } from '#telemetry/certificate-expiry.ts';
import { createMetrics } from '#telemetry/metrics.ts';

test('the metric has no sample before the first certificate, which would look like an expired one', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const onExpiry = watchCertificateExpiry(metrics);
  const samples = async () => (await metrics.registry.metrics()).split('\n').filter((line) => /^zonestead/.test(line));
  expect(await samples()).toEqual([]);
  onExpiry(new Date('2030-01-01T00:00:00Z'));
  expect(await samples()).toEqual(['zonestead_serving_certificate_expiry_timestamp_seconds 1893456000']);
});
