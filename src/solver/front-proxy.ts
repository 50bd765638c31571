// Authenticates the sender of a request: kube-apiserver presents a client certificate and names the user in headers
// (k8s.io/apiserver pkg/authentication/request/headerrequest and x509). Every request is checked, not every connection,
// because the authority may have changed since the handshake.
import { X509Certificate } from 'node:crypto';

/** The front proxy, as the ConfigMap kube-system/extension-apiserver-authentication describes it. */
export interface FrontProxy {
  /** PEM bundle. The TLS server also announces it as its acceptable authorities. */
  readonly bundle: string;
  readonly authorities: readonly X509Certificate[];
  /** Common names of certificates that may act for users; if empty, every certificate of the authorities may. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
  readonly uidHeaders: readonly string[];
}

export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type Identity = { readonly user: User } | { readonly refused: string };

/** Headers by lower-case name, one entry per line: in a comma-separated value two groups would become one. */
export type ProxyHeaders = Readonly<Record<string, readonly string[] | undefined>>;

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS = 'system:anonymous';
const MAX_CHAIN = 3;

/** @throws Error that says what is missing: without the authority no request can be authenticated */
export function readFrontProxy(data: Readonly<Record<string, string>>): FrontProxy {
  const bundle = data['requestheader-client-ca-file'] ?? '';
  const pems = bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (pems.length === 0) {
    throw new Error(
      'kube-system/extension-apiserver-authentication has no requestheader-client-ca-file: kube-apiserver runs without ' +
        '--requestheader-client-ca-file, so aggregated APIs cannot work',
    );
  }
  return {
    bundle,
    authorities: pems.map((pem) => new X509Certificate(pem)),
    allowedNames: list(data['requestheader-allowed-names']),
    usernameHeaders: lower(list(data['requestheader-username-headers'])),
    groupHeaders: lower(list(data['requestheader-group-headers'])),
    extraPrefixes: lower(list(data['requestheader-extra-headers-prefix'])),
    uidHeaders: lower(list(data['requestheader-uid-headers'])),
  };
}

/** @param certificate the client's; undefined if it sent none */
export function identify(
  proxy: FrontProxy,
  certificate: X509Certificate | undefined,
  headers: ProxyHeaders,
  now: Date,
): Identity {
  if (certificate === undefined) return { refused: 'a client certificate is needed' };
  if (!isIssued(certificate, proxy.authorities, now, MAX_CHAIN)) {
    return { refused: 'the client certificate is not one of the request-header authority' };
  }
  if (!(certificate.keyUsage ?? []).includes(CLIENT_AUTH)) {
    return { refused: 'the client certificate is not meant for client authentication' };
  }
  const name = commonName(certificate);
  if (proxy.allowedNames.length > 0 && !proxy.allowedNames.includes(name)) {
    return { refused: 'the name of the client certificate is not an allowed one' };
  }
  const username = first(proxy.usernameHeaders, headers);
  if (username === undefined) return { refused: 'no user is named' };
  const sentGroups = proxy.groupHeaders.flatMap((header) => headers[header] ?? []);
  const isKnown = username === ANONYMOUS || sentGroups.includes(AUTHENTICATED);
  const uid = first(proxy.uidHeaders, headers);
  return {
    user: {
      username,
      groups: isKnown ? sentGroups : [...sentGroups, AUTHENTICATED],
      extra: collectExtra(proxy.extraPrefixes, headers),
      ...(uid === undefined ? {} : { uid }),
    },
  };
}

function isIssued(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: Date,
  depth: number,
): boolean {
  if (!isValidAt(certificate, now)) return false;
  const issuedBy = (issuer: X509Certificate) =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (authorities.some((authority) => isValidAt(authority, now) && issuedBy(authority))) return true;
  const sentIssuer = certificate.issuerCertificate;
  return (
    depth > 0 && sentIssuer !== undefined && issuedBy(sentIssuer) && isIssued(sentIssuer, authorities, now, depth - 1)
  );
}

function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && now <= certificate.validToDate;
}

function commonName(certificate: X509Certificate): string {
  return String(certificate.toLegacyObject().subject.CN ?? '');
}

/** The first header that is present and not empty. */
function first(names: readonly string[], headers: ProxyHeaders): string | undefined {
  return names.map((name) => headers[name]?.[0]).find((value) => value !== undefined && value !== '');
}

function collectExtra(prefixes: readonly string[], headers: ProxyHeaders): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const prefix = prefixes.find((each) => name.startsWith(each));
    if (prefix === undefined) continue;
    const key = decode(name.slice(prefix.length)).toLowerCase();
    extra[key] = [...(extra[key] ?? []), ...values];
  }
  return extra;
}

/** kube-apiserver percent-encodes the characters of a key that a header name cannot contain. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The ConfigMap contains lists as JSON texts. */
function list(text: string | undefined): string[] {
  const value: unknown = text === undefined || text === '' ? [] : JSON.parse(text);
  return Array.isArray(value) ? value.map(String) : [];
}

function lower(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}
