// cert-manager and Pebble as pods of a cluster, and an issuer that connects them to the release's solver. A cluster
// that the tests did not create already has cert-manager.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PEBBLE_IMAGE } from '../../../deploy/image/images.ts';
import { PROJECT } from '../../../deploy/image/parts.ts';
import { pebbleIssuer } from '../../../deploy/local/issuance-objects.ts';
import { ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { askOnly } from '../../../deploy/local/parts/certmanager.ts';
import { CERT_MANAGER_VERSION } from '../../../deploy/local/parts/certmanager-build.ts';
import { PEBBLE_CALM, pebbleConfig } from '../../../deploy/local/parts/pebble.ts';
import type { TestCluster } from './cluster.ts';
import type { Release } from './release.ts';

export const CERT_MANAGER_IMAGE = `localhost/cert-manager:${CERT_MANAGER_VERSION}`;
const NAMESPACE = 'cert-manager';
const PEBBLE = { port: 14000, folder: '/etc/pebble' };

/** Starts both and waits until the ClusterIssuer `zonestead` is Ready. @throws with kubectl's words */
export async function startIssuance(cluster: TestCluster, release: Release): Promise<void> {
  const dns = `${release.dns.address}:${release.dns.port}`;
  if (cluster.certManagerCrds !== undefined) {
    await cluster.kubectl('apply', '--server-side', '-f', cluster.certManagerCrds);
    await cluster.kubectl('wait', '--for=condition=Established', '--timeout=180s', '-f', cluster.certManagerCrds);
    await cluster.kubectl('apply', '-f', join(PROJECT, 'deploy/local/certmanager/rbac.yaml'));
    await release.apply([certManager(dns)]);
  }
  const { objects, authority } = await pebble(dns);
  await release.apply(objects);
  for (const deployment of ['cert-manager', 'pebble'])
    await cluster.kubectl('-n', NAMESPACE, 'rollout', 'status', `deployment/${deployment}`, '--timeout=300s');
  const url = `https://pebble.${NAMESPACE}.svc:${PEBBLE.port}/dir`;
  await release.apply([pebbleIssuer({ url, authority })]);
  await cluster.kubectl('wait', '--for=condition=Ready', '--timeout=180s', 'clusterissuer/zonestead');
}

function deployment(name: string, container: object, more: object = {}): object {
  const labels = { 'app.kubernetes.io/name': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, ...container }], ...more } },
    },
  };
}

/** @param dns the only name server it knows: no parent zone delegates to ours */
function certManager(dns: string): object {
  return deployment(
    'cert-manager',
    {
      image: CERT_MANAGER_IMAGE,
      args: [
        `--cluster-resource-namespace=${NAMESPACE}`,
        ...askOnly(dns),
        '--dns01-check-retry-period=1s',
        '--internal-healthz-listen-address=0.0.0.0:9403',
      ],
      readinessProbe: { httpGet: { path: '/livez', port: 9403 }, periodSeconds: 1 },
    },
    { serviceAccountName: 'cert-manager' },
  );
}

/** @returns its objects, and the authority that certifies its own address, as PEM */
async function pebble(dns: string): Promise<{ objects: object[]; authority: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'zonestead-pebble-'));
  try {
    const authority = await ensureAuthority({ dir, name: 'authority', commonName: 'pebble-authority' });
    const hosts = [`pebble.${NAMESPACE}.svc`];
    const own = await ensureCertificate({ dir, name: 'pebble', commonName: 'pebble', hosts, authority });
    const config = pebbleConfig({
      listenAddress: `0.0.0.0:${PEBBLE.port}`,
      managementListenAddress: '127.0.0.1:15000',
      certificate: join(PEBBLE.folder, 'tls.crt'),
      privateKey: join(PEBBLE.folder, 'tls.key'),
    });
    const metadata = { name: 'pebble', namespace: NAMESPACE };
    const container = {
      image: PEBBLE_IMAGE,
      args: ['-config', join(PEBBLE.folder, 'config.json'), '-dnsserver', dns],
      env: Object.entries(PEBBLE_CALM).map(([name, value]) => ({ name, value })),
      readinessProbe: { tcpSocket: { port: PEBBLE.port }, periodSeconds: 1 },
      volumeMounts: [{ name: 'files', mountPath: PEBBLE.folder, readOnly: true }],
    };
    const stringData = { 'config.json': config, 'tls.crt': own.certificate, 'tls.key': own.key };
    const objects = [
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
      deployment('pebble', container, { volumes: [{ name: 'files', secret: { secretName: 'pebble' } }] }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: { 'app.kubernetes.io/name': 'pebble' }, ports: [{ port: PEBBLE.port }] },
      },
    ];
    return { objects, authority: authority.certificate };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
