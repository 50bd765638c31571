// The parts of an answer of the PowerDNS API that a real PowerDNS and the service must have in common.
import { formatRrsets, type PowerDnsReply } from '../../../support/doors/powerdns/client.ts';

export function comparable({ status, body, headers, text }: PowerDnsReply) {
  const hasSerials = headers['x-pdns-old-serial'] !== undefined && headers['x-pdns-new-serial'] !== undefined;
  const isError = status >= 400;
  return {
    status,
    hasSerials: status === 204 && hasSerials,
    contentType: text === '' ? null : headers['content-type'],
    body: isError ? typeof (body as { error?: unknown } | null)?.error : reduceToShape(body),
  };
}

/** RRsets as sorted texts; zones with their names and kinds; other values as they are. */
function reduceToShape(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(reduceToShape);
  if (typeof body !== 'object' || body === null) return body;
  const { rrsets, id, name, kind, type, url, daemon_type, ...more } = body as Record<string, unknown>;
  const { account } = more;
  if (rrsets !== undefined) return { id, name, kind, url, account, rrsets: formatRrsets(body) };
  if (kind !== undefined) return { id, name, kind, url, account, isSigned: 'dnssec' in more };
  if (daemon_type !== undefined) return { type, id, url, daemon_type };
  return body;
}
