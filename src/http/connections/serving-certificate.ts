// The serving certificate from files that another program renews: they are read again every few seconds, and the last
// valid pair stays in use. A server that reads its certificate only once fails a year later (cozystack/cozystack#3557).

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { formatError } from '#base/error-text.ts';
import { sleep } from '#base/wait.ts';

export interface ServingCertificate {
  /** PEM, leaf first. */
  readonly certificate: string;
  readonly key: string;
}

interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** @throws Error when a file cannot be read, or when the two do not match, as in the middle of a renewal */
async function readCertificate({ certificateFile, keyFile }: CertificateFiles): Promise<ServingCertificate> {
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`${certificateFile} is not the certificate of the key in ${keyFile}`);
  }
  return { certificate, key };
}

/** The origin of a certificate. */
export interface CertificateSource {
  /** @throws when there is no usable certificate */
  read(signal: AbortSignal): Promise<ServingCertificate>;
  /** The time between two reads, in ms. */
  readonly everyMs: number;
}

/** kubelet updates the files of a changed Secret within about a minute; one check costs two small reads. */
const CHECK_EVERY_MS = 2_000;

export function certificateFiles(files: CertificateFiles): CertificateSource {
  return { read: () => readCertificate(files), everyMs: CHECK_EVERY_MS };
}

interface Log {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
}

/**
 * Reports every valid pair that differs from the one before, beginning with the first, until the signal aborts.
 * @param onExpiry gets the end of each of them
 */
export async function followCertificate(
  source: CertificateSource,
  clock: Clock,
  log: Log,
  onChange: (pair: ServingCertificate) => void,
  onExpiry: (validTo: Date) => void,
  signal: AbortSignal,
): Promise<void> {
  let last: ServingCertificate | undefined;
  let complaint = '';
  while (!signal.aborted) {
    try {
      const pair = await source.read(signal);
      if (pair.certificate !== last?.certificate || pair.key !== last.key) {
        onChange(pair);
        last = pair;
        const { validTo, validToDate, subjectAltName } = new X509Certificate(pair.certificate);
        onExpiry(validToDate);
        log.info({ validTo, subjectAltName }, 'serving certificate loaded');
        if (validToDate.getTime() < clock.now())
          log.warn({ validTo }, 'the serving certificate has expired, so clients refuse it: renew it');
      }
      complaint = '';
    } catch (error) {
      const text = formatError(error);
      if (text !== complaint)
        log.warn({ err: error }, 'failed to load the serving certificate; the last one stays in use');
      complaint = text;
    }
    await sleep(clock, source.everyMs, signal).catch(() => undefined);
  }
}
