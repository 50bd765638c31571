// DNSRecords with a health check that `kubectl apply` must take or refuse.
import { label, type ResourceCase, record, values } from './resource-case.ts';

const tiers = (...list: (number | undefined)[]) => ({
  content: undefined,
  values: list.map((tier, at) => ({ content: `192.0.2.${at + 1}`, tier })),
});
const http = { type: 'http', path: '/healthz' };

const from = (serviceRef: object) => ({ healthFrom: { serviceRef } });

/** The state of the addresses comes from a Service. */
const SERVICES: readonly ResourceCase[] = [
  record('the endpoints of a Service', { ...from({ name: 'web' }), whenAllFail: 'ServeNone' }),
  record('the endpoints with a named port', from({ name: 'web', port: 'https' })),
  record('the endpoints with the number of a port', from({ name: 'web', port: 8443 })),
  record('tiers with a Service', { ...tiers(0, 1), ...from({ name: 'web' }) }),
  record('a check and a Service', { healthCheck: http, ...from({ name: 'web' }) }, /set either healthCheck .* or /),
  record(
    'a Service for TXT',
    { type: 'TXT', content: 'text', ...from({ name: 'web' }) },
    /only the addresses of types A and AAAA/,
  ),
  record('a Service of another namespace', from({ name: 'shop/web' }), /must be the name of a Service/),
  record('a Service without a name', from({}), /name/),
  record('no source', { healthFrom: {} }, /serviceRef/),
  record('port 65536 of a Service', from({ name: 'web', port: 65_536 }), /port/),
  record('a port in capitals', from({ name: 'web', port: 'HTTP' }), /port/),
];

export const HEALTH: readonly ResourceCase[] = [
  ...SERVICES,
  record('a PTR record', { reverse: true }),
  record('no PTR record of TXT', { type: 'TXT', content: 'text', reverse: false }),
  record(
    'a PTR record of TXT',
    { type: 'TXT', content: 'text', reverse: true },
    /only the addresses of types A and AAAA have PTR records/,
  ),
  record('a check over https', { healthCheck: { type: 'https', host: 'www.example.com', tls: 'none' } }),
  record('a check with all fields', {
    ttl: 30,
    whenAllFail: 'ServeNone',
    healthCheck: {
      ...{ type: 'http', port: 8080, path: '/healthz?full=1', host: 'www.example.com', expect: ['200', '3xx'] },
      ...{ interval: 1, timeout: 0.1, failures: 10, retryInterval: 0.5, successes: 1 },
    },
  }),
  record('a check of a port', { healthCheck: { type: 'tcp', port: 5432 } }),
  record('a check of AAAA', { type: 'AAAA', content: '2001:db8::1', healthCheck: http }),
  record('a check by its name', { healthCheck: { checkRef: 'web' } }),
  record('tiers with a check', { ...tiers(0, undefined, 9), healthCheck: http }),
  record('one tier without a check', tiers(1, 1)),
  record('an empty check', { healthCheck: {} }, /set either type .* or checkRef/),
  record('a check and a reference', { healthCheck: { ...http, checkRef: 'web' } }, /set either type .* or checkRef/),
  record(
    'a reference with a field',
    { healthCheck: { checkRef: 'web', port: 80 } },
    /checkRef replaces all other fields/,
  ),
  record("another record's check", { healthCheck: { checkRef: 'k8s-1' } }, /belongs to another DNSRecord/),
  record('a reference in capitals', { healthCheck: { checkRef: 'Web' } }, /must be the name of a check/),
  record('a reference of 64 characters', { healthCheck: { checkRef: label(64) } }, /checkRef/),
  record('a check without its type', { healthCheck: { port: 80 } }, /set either type/),
  record('a check of an unknown type', { healthCheck: { type: 'icmp' } }, /https.*http.*tcp/),
  record(
    'a check of TXT',
    { type: 'TXT', content: 'text', healthCheck: http },
    /only the addresses of types A and AAAA/,
  ),
  record('tcp without a port', { healthCheck: { type: 'tcp' } }, /needs a port/),
  record('tcp with a path', { healthCheck: { type: 'tcp', port: 80, path: '/' } }, /sends no request/),
  record('TLS with http', { healthCheck: { type: 'http', tls: 'none' } }, /only a check of the type https uses TLS/),
  record('a path without a slash', { healthCheck: { type: 'http', path: 'healthz' } }, /must begin with/),
  record('a path with a blank', { healthCheck: { type: 'http', path: '/a b' } }, /without spaces/),
  record('a path over 500 characters', { healthCheck: { type: 'http', path: `/${label(500)}` } }, /path/),
  record('a host with a port', { healthCheck: { type: 'http', host: 'a.example:80' } }, /without a port/),
  record('an unknown status', { healthCheck: { type: 'http', expect: ['600'] } }, /must be a status such as/),
  record('a status as a number', { healthCheck: { type: 'http', expect: [200] } }, /expect/),
  record('no status', { healthCheck: { type: 'http', expect: [] } }, /expect/),
  record('port 0', { healthCheck: { type: 'tcp', port: 0 } }, /port/),
  record('an interval of 301 s', { healthCheck: { ...http, interval: 301 } }, /300/),
  record('a retry after 0.4 s', { healthCheck: { ...http, retryInterval: 0.4 } }, /0\.5/),
  record('a fraction of failures', { healthCheck: { ...http, failures: 1.5 } }, /failures/),
  record('tiers without a check', tiers(0, 1), /set healthCheck or healthFrom, or give all values one tier/),
  record('tier 10', { ...tiers(10), healthCheck: http }, /tier/),
  record(
    'a tier on TXT',
    { type: 'TXT', content: undefined, values: [{ content: 'text', tier: 1 }] },
    /only types A and AAAA accept a tier/,
  ),
  record('whenAllFail without a check', { whenAllFail: 'ServeNone' }, /no address fails without a check/),
  record('whenAllFail without its capitals', { whenAllFail: 'serveNone', healthCheck: http }, /ServeAll.*ServeNone/),
  record('a hundred values with tiers', {
    content: undefined,
    healthCheck: http,
    values: values(...Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`)).values.map((value) => ({
      ...value,
      tier: 1,
    })),
  }),
];
