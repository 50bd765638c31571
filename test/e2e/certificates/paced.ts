// A certificate in a zone whose API key has reached its limit with many records: the challenge does not wait for them.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { certificateObject, issued } from '../../support/cert-manager/certificates.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { keyObjects } from './ground.ts';

const BULK = 300;
/** How often the window is filled again. */
const FILL_MS = 1_000;
/** The writes that the key has per minute. */
const WRITES = 60;

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
        // All places of records are taken, again and again, until the certificate is there.
        const fill = () => sql`
          insert into write_windows (key_id, bucket, times)
          select ${keyId}, 'records', array(select now() from generate_series(1, ${WRITES}))
          on conflict (key_id, bucket) do update set times = excluded.times`;
        await fill();
        filling = setInterval(() => void fill().catch(() => undefined), FILL_MS);
        await createBulk(stack.stack.cluster.kubeconfig);
        const certificate = certificateObject('passes', ['www.bulk.example'], 'bulk');
        await stack.apply(certificate);
        await issued(stack, certificate);
        const written = await sql<{ type: string }[]>`
          select distinct after->>'type' as type from changes
          where zone_name = 'bulk.example' and action = 'record.create'`;
        // Challenges have a window of their own, and the limit of the other records is obeyed.
        expect(written).toEqual([{ type: 'TXT' }]);
      } finally {
        clearInterval(filling);
        await sql.end();
      }
    });
  });
}
