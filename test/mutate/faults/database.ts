// Faults in the connection to Postgres, and in the redaction of logs.
import type { Fault } from '../fault.ts';

const tls = { project: 'integration', tests: ['test/integration/store/tls.test.ts'] } as const;
const address = { project: 'unit', tests: ['test/unit/base/postgres-address.test.ts'] } as const;

const away = (name: string, breaks: string, file: string, find: string, replace: string, test = 'http/database-away') =>
  ({
    name: `database-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project: 'integration',
    tests: [`test/integration/${test}.test.ts`],
  }) as const;

export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'database-lost-afterwards',
    breaks: 'the answer to a committed change says that nothing was written, if the database is lost right after it',
    edits: [
      {
        file: 'src/service/outage.ts',
        find: "    throw refusal('outcome-unknown', {}, { retryAfterMs: RETRY_MS });",
        replace: '    throw error;',
      },
    ],
    project: 'unit',
    tests: ['test/unit/service/outage.test.ts'],
  },
  away(
    'away-unready',
    'the api is not ready without its database, so clients get no answer',
    'src/api/run.ts',
    'ready: () => ready,',
    'ready: () => deep(),',
  ),
  away(
    'away-shallow',
    '/readyz?deep does not ask the database',
    'src/api/run.ts',
    'deep = () => checkDatabase(context.db);',
    'deep = async () => ready;',
  ),
  away(
    'away-waits',
    'each request of a long outage waits 2 s for its answer',
    'src/store/client.ts',
    'Math.max(0, this.#searchSince + PATIENCE_MS - now())',
    'PATIENCE_MS',
  ),
  away(
    'away-up',
    'zonestead_database_up stays 1 without the database',
    'src/store/client.ts',
    'this.#isUp = false;\n    this.#options.onLoss',
    'this.#options.onLoss',
  ),
  away(
    'away-down',
    'zonestead_database_up stays 0 when the database is back',
    'src/store/client.ts',
    'if (pool === this.#pool) this.#isUp = true;',
    'if (pool !== this.#pool) this.#isUp = true;',
  ),
  away(
    'ready-early',
    'an api is ready before it has reached its database',
    'src/api/run.ts',
    'ready = { ok: false, checks: { database: problem } };',
    'ready = { ok: true, checks: { database: problem } };',
    'http/late-database',
  ),
  away(
    'ready-late',
    'an api that shuts down is still ready',
    'src/api/run.ts',
    "ready = { ok: false, checks: { process: 'shutting down' } };",
    'ready = { ok: true };',
    'http/shutdown',
  ),
  {
    name: 'database-ip-unchecked',
    breaks: 'a certificate for another name passes at a Postgres with an IP address',
    edits: [
      {
        file: 'src/store/tls.ts',
        find: '      checkServerIdentity(host, certificate),',
        replace: '      isIP(host) === 0 ? checkServerIdentity(host, certificate) : undefined,',
      },
    ],
    ...tls,
  },
  {
    name: 'database-any-authority',
    breaks: 'verify-full accepts a certificate of any authority',
    edits: [
      {
        file: 'src/store/tls.ts',
        find: "  if (tls.mode !== 'verify-full') return { rejectUnauthorized: false };",
        replace: '  if (host) return { rejectUnauthorized: false };',
      },
    ],
    ...tls,
  },
  {
    name: 'database-plain-after-all',
    breaks: 'a server that refuses TLS gets the login in plain text, with every mode',
    edits: [
      {
        file: 'src/store/tls.ts',
        find: "answer[0] === NO && tls.mode === 'prefer'",
        replace: 'answer[0] === NO',
      },
    ],
    ...tls,
  },
  {
    name: 'database-one-loopback',
    breaks: 'an address is taken for local if one of its hosts is',
    edits: [
      {
        file: 'src/base/postgres-address.ts',
        find: 'const [remote] = hosts.filter(({ host }) => !isLoopbackHost(host));',
        replace: 'const [remote] = hosts.some(({ host }) => isLoopbackHost(host)) ? [] : hosts;',
      },
    ],
    ...address,
  },
  {
    name: 'database-require-verifies',
    breaks: 'sslmode=require counts as verified',
    edits: [
      {
        file: 'src/base/postgres-address.ts',
        find: "remote !== undefined && tls.mode !== 'verify-full' && !isUnverifiedAllowed",
        replace: 'remote !== undefined && !/verify-full|require/.test(tls.mode) && !isUnverifiedAllowed',
      },
    ],
    ...address,
  },
  {
    name: 'database-ca-forgotten',
    breaks: 'a command that names DATABASE_URL alone ignores the authority of the database',
    edits: [
      {
        file: 'src/config.ts',
        find: 'const protectionSettings = isRead ? values : readConfig(DATABASE_PROTECTION_SETTINGS, environment);',
        replace: "const protectionSettings = isRead ? values : { ZONESTEAD_DATABASE_WITHOUT_TLS: 'allow' as const };",
      },
    ],
    project: 'unit',
    tests: ['test/unit/config.test.ts'],
  },
  {
    name: 'log-node-keys',
    breaks: 'logs contain node keys',
    edits: [{ file: 'src/telemetry/log.ts', find: '(y[a-z]_[A-Za-z0-9]+_)', replace: '(y[ku]_[A-Za-z0-9]+_)' }],
    project: 'unit',
    tests: ['test/unit/telemetry/telemetry.test.ts'],
  },
];
