// Values that the chart refuses.
import type { Values } from './chart.ts';
import { region } from './chart-values.ts';

const cnpg = (values: Values) => ({ database: { mode: 'cnpg', cnpg: { operatorInstalled: true, ...values } } });

const EU = { name: 'eu', addresses: ['192.0.2.1'] };
const PIN = Buffer.alloc(32, 'p').toString('base64');

/** Values that are refused, and what is said then: the value's name and what is allowed. */
export const WRONG_VALUES: readonly (readonly [Values, RegExp])[] = [
  [{ profile: 'prod' }, /\/profile.*'standard', 'small', 'production'/],
  [{ profile: 'production' }, /profile production refuses these values:\n- database: database\.mode is builtin/],
  [{ profile: 'small', api: { replicaCount: 3 } }, /api\.replicaCount must be 1 with onePod/],
  [{ profile: 'small', nameserver: { enabled: false } }, /onePod needs api\.enabled true and nameserver\.enabled true/],
  [{ profile: 'small', solver: { port: 8444 }, api: { tls: { port: 8444 } } }, /two of .* are the same: change/],
  [{ database: { mode: 'mysql' } }, /\/database\/mode.*'builtin', 'external', 'cnpg'/],
  [{ api: { replicaCount: 'two' } }, /\/api\/replicaCount.*want integer/],
  [{ apii: {} }, /additional properties 'apii' not allowed/],
  [{ api: { resorces: {} } }, /\/api'.*additional properties 'resorces' not allowed/],
  [{ api: { updates: { port: 53 } } }, /\/api\/updates\/port.*want 1,?024/],
  [{ nameserver: { port: 53 } }, /\/nameserver\/port.*want 1,?024/],
  [
    { nameserver: { knot: { tls: { existingSecret: 'dns-tls', port: 5353 } } } },
    /nameserver\.knot\.tls\.port and nameserver\.port are both 5353/,
  ],
  [{ nameserver: { knot: { tls: { port: 853 } } } }, /\/nameserver\/knot\/tls\/port.*want 1,?024/],
  [{ image: { digest: 'latest' } }, /\/image\/digest.*sha256/],
  [{ solver: { certificate: { mode: 'none' } } }, /\/solver\/certificate\/mode.*'self', 'cert-manager', 'existing'/],
  [{ nameservers: ['ns1 example'] }, /\/nameservers\/0/],
  [{ operator: { resolvers: ['resolver.example'] } }, /\/operator\/resolvers\/0/],
  [{ database: { mode: 'external' } }, /database\.external\.existingSecret is needed/],
  [{ database: { mode: 'cnpg' } }, /database\.cnpg\.operatorInstalled must be true/],
  [cnpg({ bootstrap: { restore: {} } }), /\/database\/cnpg\/bootstrap.*'restore' not allowed/],
  [cnpg({ clusterName: '2026' }), /would be called 2026: set database\.cnpg\.clusterName/],
  [cnpg({ clusterName: 'c'.repeat(51) }), /at most 50 lower-case letters/],
  [cnpg({ synchronous: 'always' }), /\/database\/cnpg\/synchronous.*'required', 'preferred', 'never'/],
  [cnpg({ scheduledBackup: { schedule: '30 2 * * *' } }), /\/database\/cnpg\/scheduledBackup\/schedule/],
  [
    { api: { tls: { enabled: false, existingSecret: 'a' } } },
    /api\.tls\.existingSecret has no effect with api\.tls\.enabled false/,
  ],
  [
    { api: { tls: { enabled: false }, service: { plain: false } } },
    /api\.service\.plain must not be false with api\.tls\.enabled false/,
  ],
  [{ api: { service: { plain: true } } }, /api\.trustedProxies is needed with api\.service\.plain true/],
  [{ certificates: { mode: 'existing' } }, /\/certificates\/mode.*'self', 'cert-manager'/],
  [{ solver: { certificate: { mode: 'existing' } } }, /solver\.certificate\.caBundle are needed/],
  [
    { api: { enabled: false }, operator: { enabled: false } },
    /nameserver\.feed\.url is needed with api\.enabled false/,
  ],
  [{ nameserver: { feed: { url: 'https://x.example' } } }, /nameserver\.nodeKey\.existingSecret is needed/],
  [{ ...region, operator: { enabled: true } }, /operator\.url is needed with api\.enabled false/],
  [{ canary: { enabled: true } }, /canary\.zone is needed with canary\.enabled/],
  [
    { canary: { enabled: true, zone: 'a.example', url: 'https://b.example' } },
    /canary\.apiKey\.existingSecret is needed/,
  ],
  [
    { ...region, canary: { enabled: true, zone: 'a.example', apiKey: { existingSecret: 'key' } } },
    /canary\.url is needed with canary\.enabled and api\.enabled false/,
  ],
  [{ canary: { changeSeconds: 1 } }, /\/canary\/changeSeconds.*want 5/],
  [{ nameserver: { enabled: false } }, /nameservers is needed with nameserver\.enabled false/],
  [{ ...region, nameserver: { enabled: false } }, /the release is empty/],
  [
    { api: { replicaCount: 6 } },
    /api\.replicaCount is 6: .* needs 126 connections, and Postgres takes 100\. Raise database/,
  ],
  [{ api: { replicaCount: null } }, /api\.maxReplicas is needed with api\.replicaCount null/],
  [
    { api: { replicaCount: null, maxReplicas: 10 }, database: { builtin: { maxConnections: 190 } } },
    /api\.maxReplicas is 10: .* needs 194 connections, and Postgres takes 190/,
  ],
  [
    {
      api: { replicaCount: 2, databaseConnections: 40 },
      database: {
        mode: 'cnpg',
        cnpg: { operatorInstalled: true, extraSpec: { postgresql: { parameters: { max_connections: '120' } } } },
      },
    },
    /needs 130 connections, and Postgres takes 120\. Raise database\.cnpg\.extraSpec/,
  ],
  [
    { api: { replicaCount: 3 }, database: { mode: 'external', external: { existingSecret: 's', maxConnections: 60 } } },
    /needs 75 connections, and Postgres takes 60\. Raise max_connections of your Postgres/,
  ],
  [
    { database: { builtin: { persistence: { size: '2Gi' } } } },
    /database\.builtin\.persistence\.size is smaller than the 3100 MiB that the quotas allow/,
  ],
  [{ api: { quotas: { bytes: '4Gi' } } }, /smaller than the 9244 MiB that the quotas allow/],
  [
    { api: { history: { bytes: '2Gi' } }, database: { mode: 'cnpg', cnpg: { operatorInstalled: true } } },
    /database\.cnpg\.storage\.size is smaller/,
  ],
  [{ nameserver: { replicaCount: null, podServices: { enabled: true } } }, /nameserver\.replicaCount is needed/],
  [{ nameserver: { knot: { workers: 0 } } }, /\/nameserver\/knot\/workers.*want 1/],
  [
    { nameserver: { persistence: { size: '100Mi' } } },
    /nameserver\.persistence\.size is 100Mi, and must be 128Mi or more/,
  ],
  [{ edge: { enabled: true, persistence: { size: '0.1Gi' } } }, /edge\.persistence\.size is 0\.1Gi/],
  [{ edge: { enabled: true }, nameserver: { replicaCount: 5 } }, /nameserver\.replicaCount must be from 1 to 4/],
  [{ edge: { enabled: true }, nameserver: { enabled: false }, nameservers: ['a.b'] }, /edge\.primaries is needed/],
  [{ edge: { enabled: true, primaries: ['a:53'] } }, /edge\.tsig\.existingSecret is needed/],
  [
    { edge: { enabled: true }, secondaries: [{ name: 'edge', addresses: ['192.0.2.1'] }] },
    /two secondaries have the name edge/,
  ],
  [{ secondaries: [{ name: 'eu' }] }, /each of secondaries needs a name and addresses/],
  [{ secondaries: [{ name: 'eu', addresses: ['ns.example'] }] }, /\/secondaries\/0\/addresses\/0/],
  [
    { secondaries: [{ name: 'a', addresses: ['192.0.2.1'], allZones: true, zones: ['b.c'] }] },
    /has allZones and zones/,
  ],
  [{ secondaries: [{ ...EU, requireTls: true }] }, /secondary eu transfers over TLS, .* nameserver\.knot\.tls/],
  [{ edge: { enabled: true, primaryPins: [PIN] } }, /secondary edge transfers over TLS/],
  [{ secondaries: [{ ...EU, pins: [PIN] }] }, /secondary eu has pins, .* requireTls/],
  [{ secondaries: [{ ...EU, requireTls: true, pins: ['cGlu'] }] }, /\/secondaries\/0\/pins\/0/],
  [{ ...region, secondaries: [{ name: 'eu', addresses: ['192.0.2.1'] }] }, /secondaries belong to the release/],
  [{ trusts: { ownCluster: { enabled: false } } }, /operator\.apiKey\.existingSecret is needed/],
  [{ trusts: { list: [{ name: 'a' }] } }, /each of trusts\.list needs a name and match/],
  [{ trusts: { list: [{ name: 'operator', match: { sub: 'a' } }] } }, /trusts\.list has two trusts with the name/],
  [
    { trusts: { list: [{ name: 'a', match: { sub: 'a' }, rights: 'all' }] } },
    /\/trusts\/list\/0.*'rights' not allowed/,
  ],
  [{ trusts: { list: [{ name: 'a', match: { sub: 'a' }, records: 'all' }] } }, /\/trusts\/list\/0\/records/],
  [{ ...region, trusts: { list: [{ name: 'a', match: { sub: 'a' } }] } }, /trusts\.list belongs to the release/],
  [
    {
      trusts: { ownCluster: { enabled: false }, list: [{ name: 'a', match: { sub: 'a' } }] },
      operator: { apiKey: { existingSecret: 'key' } },
    },
    /the trust a needs an issuer/,
  ],
  [{ operator: { url: 'https://x.example' } }, /operator\.apiKey\.existingSecret is needed/],
  [{ api: { console: { oidc: { issuer: 'https://l.example' } } } }, /api\.console\.oidc\.clientId is needed/],
  [
    { api: { podDisruptionBudget: { minAvailable: 1 } } },
    /api\.podDisruptionBudget\.minAvailable and api\.podDisruptionBudget\.maxUnavailable exclude/,
  ],
];
