// HTTPS for the whole application, next to plain HTTP for this machine and for proxies (hooks/plain-requests.ts): one
// server answers both, so that every rule, limit and address is the same.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { realClock } from '#base/clock.ts';
import type { Config } from '#config.ts';
import { refusal } from '#service/refusal.ts';
import { watchCertificateExpiry } from '#telemetry/certificate-expiry.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { certificateFiles, followCertificate } from './connections/serving-certificate.ts';
import { handOver } from './connections/sockets.ts';
import { createTlsListener, type TlsListener } from './connections/tls-listener.ts';
import { answerBare } from './refusals.ts';
import type { TLS_SETTINGS } from './settings.ts';

/**
 * To be called before limits apply to the connections of the application; they apply to those of the listener, which
 * does not listen yet.
 * @param handshakeMs (Default: that of the listener.)
 */
export function createAppListener(app: FastifyInstance, handshakeMs?: number): TlsListener {
  return createTlsListener({
    ...(handshakeMs === undefined ? {} : { handshakeMs }),
    serve: handOver(app.server),
    refusePlain: (socket) => answerBare(socket, refusal('not-tls')),
  });
}

/**
 * Reads the certificate of the settings, and then again and again until the signal aborts. Without a usable one,
 * handshakes fail; the log says why.
 * @returns after the first read, with the end of the others
 */
export async function keepCertificate(
  tls: TlsListener,
  config: Config<(typeof TLS_SETTINGS)[number]>,
  { log, metrics }: { log: Logger; metrics: Metrics },
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const { ZONESTEAD_TLS_CERT_FILE: certificateFile, ZONESTEAD_TLS_KEY_FILE: keyFile } = config;
  const source = certificateFiles({ certificateFile, keyFile });
  await source.read(signal).then(tls.setCertificate, () => undefined);
  const onExpiry = watchCertificateExpiry(metrics);
  return { ended: followCertificate(source, realClock, log, tls.setCertificate, onExpiry, signal) };
}
