// A certificate in a zone whose API key has reached its limit with many records: the challenge does not wait for them.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { certificateObject, challengeConditions, issued } from '../../support/cert-manager/certificates.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { untilIs } from '../../support/time/until.ts';
import { namespaceObject } from './ground.ts';

const BULK = 300;
/** How often the window is filled again. */
const FILL_MS = 1_000;
/** The writes that the key has per minute. */
const WRITES = 60;
/** The operator's workers: as many may have a write in progress when the pause ends. */
const WORKERS = 16;

/**
 * A key of the namespace's own and the operator's right to read this one Secret, as in deploy/examples/team-key.yaml.
 */
function keyObjects(namespace: string, apiKey: string): object[] {
  const metadata = { name: 'dns-key', namespace };
  return [
    namespaceObject(namespace),
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { apiKey } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['dns-key'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'dns-key' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'zonestead-operator' }],
    },
  ];
}

/** Creates the records concurrently, unlike kubectl. */
async function createBulk(kubeconfig: string): Promise<void> {
  const cluster = await connectCluster({ kubeconfig });
  try {
    const spec = (name: string) => ({ zoneRef: { name: 'bulk' }, name, type: 'A', content: '192.0.2.1' });
    const names = Array.from({ length: BULK }, (_, n) => `b${n}`);
    await Promise.all(
      names.map((name) =>
        cluster.api.create(DNS_RECORD, {
          metadata: { name, namespace: 'bulk' },
          spec: spec(name) as DNSRecord['spec'],
        }),
      ),
    );
  } finally {
    await cluster.close();
  }
}

export function letsChallengesPass(theStack: () => TestStack): void {
  describe.concurrent('a certificate with a key that is limited to 60 writes a minute', () => {
    test('a certificate with a key that is limited to 60 writes a minute does not wait for 300 earlier records', async () => {
      const stack = theStack();
      const { databaseUrl } = stack.stack.service;
      const terms = { name: 'bulk', records: 'write', manageZones: 'write', recordWrites: WRITES } as const;
      const { id: keyId, text } = await adminMintKey(databaseUrl, { team: 'first' }, terms, randomBytes, new Date());
      await stack.apply(...keyObjects('bulk', text));
      const credentialsSecretRef = { name: 'dns-key' };
      await stack.apply(zoneObject('bulk', 'bulk.example', { acme: {}, credentialsSecretRef }, 'bulk'));
      await stack.kubectl('-n', 'bulk', 'wait', '--for=condition=Ready', '--timeout=115s', 'zdz/bulk');
      const sql = postgres(databaseUrl, { max: 1 });
      let filling: NodeJS.Timeout | undefined;
      try {
        // As if all places had been taken 40 s ago, until the challenge waits too: they are free 20 s later.
        const fill = () => sql`
          insert into write_windows (key_id, bucket, times)
          select ${keyId}, 'records', array(select now() - interval '40 seconds' from generate_series(1, ${WRITES}))
          on conflict (key_id, bucket) do update set times = excluded.times`;
        await fill();
        filling = setInterval(() => void fill().catch(() => undefined), FILL_MS);
        await createBulk(stack.stack.cluster.kubeconfig);
        const certificate = certificateObject('passes', ['www.bulk.example'], 'bulk');
        await stack.apply(certificate);
        const waiting = () => challengeConditions(stack, 'www.bulk.example');
        await untilIs('the challenge to wait', waiting, (reasons) => reasons.includes('RateLimited'));
        clearInterval(filling);
        const [before] =
          await sql`select count(*)::int as n from changes where zone_name = 'bulk.example' and action = 'record.create'`;
        expect(before?.n).toBe(0);
        await issued(stack, certificate);
        const written = await sql<{ type: string }[]>`
          select after->>'type' as type from changes
          where zone_name = 'bulk.example' and action = 'record.create' order by id`;
        const place = written.findIndex(({ type }) => type === 'TXT');
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThanOrEqual(WORKERS);
        // The other records still wait, so the limit is obeyed.
        expect(written.length).toBeLessThan(BULK);
      } finally {
        clearInterval(filling);
        await sql.end();
      }
    });
  });
}
