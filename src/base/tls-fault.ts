// Why a TLS connection failed, in words that say how to correct it. Pure.

/** The words of an explanation for one kind of connection. */
export interface TlsPeer {
  /** The server, such as `the api`. */
  readonly server: string;
  /** The setting with the file of its authorities. */
  readonly authorities: string;
  /** The setting with its address. */
  readonly address: string;
}

/** In characters. */
const MAX_NAMES = 300;
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** The explanation of an error, or of one of its causes; null for every other error. */
export function explainTls(error: unknown, { server, authorities, address }: TlsPeer): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '' } = at as NodeJS.ErrnoException;
    if (UNKNOWN_AUTHORITY.has(code)) {
      return `the certificate of ${server} is from an authority that this process does not trust (${code}): set ${authorities} to a file with the authority`;
    }
    if (code === 'CERT_HAS_EXPIRED') {
      return `the certificate of ${server}, or of its authority, has expired: renew it; if it is valid, the clock of this machine is ahead: correct it`;
    }
    if (code === 'CERT_NOT_YET_VALID') {
      return `the certificate of ${server} is not valid yet: compare the clock of this machine with that of the machine that made the certificate`;
    }
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
      return `the certificate of ${server} is for ${readNames(at)} (${at.message}): use one of them in ${address}, or add the name to the certificate`;
    }
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
      return `${server} does not speak TLS at this port: set ${address} to its address for TLS`;
    }
    if (code.startsWith('ERR_SSL_') && code.includes('ALERT_HANDSHAKE_FAILURE')) {
      return `${server} has no certificate: see its log`;
    }
  }
  return null;
}

/** The error of Node.js has the certificate, and its message lacks the names if the address is an IP address. */
function readNames(error: Error): string {
  const { cert } = error as Error & { cert?: { subjectaltname?: string } };
  return cert?.subjectaltname?.slice(0, MAX_NAMES) ?? 'other names';
}
