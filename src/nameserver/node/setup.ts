// The settings of knotd, which a node applies when knotd answers, and again when the certificate for DNS over TLS was
// renewed.
import type { Clock } from '#base/clock.ts';
import { formatError } from '#base/error-text.ts';
import { createSerial } from '#base/serial.ts';
import { sleep } from '#base/wait.ts';
import { followCertificate, type ServingCertificate } from '#http/connections/serving-certificate.ts';
import { watchCertificateExpiry } from '#telemetry/certificate-expiry.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { applyConfiguration } from '../knot/apply.ts';
import { prepareTls, readTls, removeOtherCopies, tlsSource } from '../knot/certificate.ts';
import { configuration, type KnotSettings } from '../knot/configuration.ts';
import type { KnotControl } from '../knot/control.ts';
import { KnotError } from '../knot/errors.ts';
import { runningVersion } from '../knot/version.ts';

export interface KnotSetup {
  /** A knotd that refuses a setting serves its zones with the former ones. @throws KnotError if it does not answer */
  apply(signal: AbortSignal): Promise<void>;
  /** Applies each new certificate until the signal aborts. Returns at once without one. */
  followTls(signal: AbortSignal): Promise<void>;
}

const RETRY_MS = 5_000;

interface Parts {
  readonly control: KnotControl;
  readonly settings: KnotSettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export function knotSetup({ control, settings, clock, log, metrics }: Parts): KnotSetup {
  const { folder, tls: tlsSettings } = settings;
  const serial = createSerial();
  let pair: ServingCertificate | null = null;

  const prepareOwnTls = async (version: string | null, signal: AbortSignal) => {
    if (tlsSettings === undefined) return null;
    return prepareTls(tlsSettings, folder, version, async () => {
      pair ??= await readTls(tlsSettings, signal);
      return pair;
    });
  };

  const applyNow = async (signal: AbortSignal) => {
    const version = await runningVersion(control, signal);
    try {
      const tls = await prepareOwnTls(version, signal);
      const items = configuration({ ...settings, version }, tls);
      const { changed, needsRestart } = await applyConfiguration(control, items, signal);
      await removeOtherCopies(folder, tls);
      if (changed.length > 0) log.info({ changed }, 'the configuration of knotd is changed to the settings');
      if (needsRestart.length > 0) {
        log.warn({ changed: needsRestart }, 'knotd takes some of its settings up only when it starts: restart it');
      }
    } catch (error) {
      if (signal.aborted || (error instanceof KnotError && error.failure !== 'refused')) throw error;
      log.error(`knotd keeps its former configuration: ${formatError(error)}`);
    }
  };
  const apply = (signal: AbortSignal) => serial('', () => applyNow(signal), signal);

  const applyUntilDone = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        return await apply(signal);
      } catch {
        // knotd is down, or busy.
        await sleep(clock, RETRY_MS, signal).catch(() => undefined);
      }
    }
  };

  return {
    apply,
    followTls: async (signal) => {
      if (tlsSettings === undefined) return;
      const onChange = (next: ServingCertificate) => {
        const isFirst = pair === null;
        pair = next;
        // The first one is applied when knotd answers.
        if (!isFirst) void applyUntilDone(signal);
      };
      const onExpiry = watchCertificateExpiry(metrics);
      await followCertificate(tlsSource(tlsSettings), clock, log, onChange, onExpiry, signal);
    },
  };
}
