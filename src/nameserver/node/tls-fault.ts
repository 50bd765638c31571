// Why a TLS connection to the api failed, in words that say how to correct it. Pure.

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** The explanation of an error, or of one of its causes; null for every other error. */
export function explainTls(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '' } = at as NodeJS.ErrnoException;
    if (UNKNOWN_AUTHORITY.has(code)) {
      return `the certificate of the api is from an authority that this node does not trust (${code}): set ZONESTEAD_FEED_CA to a file with the authority`;
    }
    if (code === 'CERT_HAS_EXPIRED') {
      return 'the certificate of the api, or of its authority, has expired: renew it, or correct the clock of this machine';
    }
    if (code === 'CERT_NOT_YET_VALID') {
      return 'the certificate of the api is not valid yet: correct the clock of this machine';
    }
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
      return `the certificate of the api is for other names (${at.message}): use one of them in ZONESTEAD_FEED_URL`;
    }
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
      return 'the api does not speak TLS at this port: set ZONESTEAD_FEED_URL to its address for HTTPS';
    }
    if (code.startsWith('ERR_SSL_') && code.includes('ALERT_HANDSHAKE_FAILURE')) {
      return 'the api has no certificate: see its log';
    }
  }
  return null;
}
