// The packets between the parts of the default installation on a node: no token and no key in plain text.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { NAMESPACE, RELEASE, type Release } from '../../support/kubelet/release.ts';

/** Tokens and keys of any form, private keys, cookies, and the headers for them. */
const PATTERNS = [
  /authorization: /i,
  /cookie: /i,
  /eyJ[a-z]{2}[A-Za-z0-9_-]{20,}\./,
  /\by[knu]_[0-9a-z]{8,}/,
  /PRIVATE KEY|Private-key-format/,
];
/** Shorter texts occur by chance, and none of the secrets is shorter. */
const SECRET_LENGTH = 16;
/** The keys of Secrets whose values are public. */
const PUBLIC = new Set(['ca.crt', 'tls.crt']);
const PARTS = ['deployment/zonestead-api', 'deployment/zonestead-operator', 'statefulset/zonestead-nameserver'];
const MARKER = 'yk_thisisnokeyofthisservice';

/** All parts that have a token or a key start again, connect, and work, while every packet is written to a file. */
export async function sendsNoSecretInPlainText(cluster: TestCluster, release: Release): Promise<void> {
  const { kubectl, node } = cluster;
  if (node === undefined) throw new Error('the packets of a cluster that is not ours cannot be captured');
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-wire-'));
  try {
    const secrets = await readSecrets(cluster);
    expect(secrets.length).toBeGreaterThan(5);
    const stopped = await node.capture(join(folder, 'all.pcap'));
    for (const part of PARTS) await kubectl('-n', NAMESPACE, 'rollout', 'restart', part);
    for (const part of PARTS) await kubectl('-n', NAMESPACE, 'rollout', 'status', part, '--timeout=600s');
    const zone = {
      apiVersion: 'zonestead.dev/v1alpha1',
      kind: 'DNSZone',
      metadata: { name: 'wire', namespace: NAMESPACE },
      spec: { zoneName: 'wire.example' },
    };
    await release.apply([zone]);
    await kubectl('-n', NAMESPACE, 'wait', '--for=condition=Ready', 'dnszone/wire', '--timeout=180s');
    await stopped();
    const packets = await readFile(join(folder, 'all.pcap'), 'latin1');
    const leaks = [
      ...PATTERNS.flatMap((pattern) => pattern.exec(packets)?.[0].slice(0, 40) ?? []),
      ...secrets.flatMap(({ place, text }) => (packets.includes(text) ? [place] : [])),
    ];
    process.stdout.write(`${packets.length} octets between the parts, ${secrets.length} secrets looked for\n`);
    expect(packets.length).toBeGreaterThan(100_000);
    expect(leaks).toEqual([]);
    expect(await seesPlainText(cluster, release, join(folder, 'plain.pcap'))).toBe(true);
    await listensWithTlsOnly(cluster);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The capture finds a key in a request without TLS, so it would have found others. No part of the default installation
 * takes such a request; the HTTPS port answers it with an error.
 */
async function seesPlainText({ node }: TestCluster, release: Release, file: string): Promise<boolean> {
  const stopped = await node?.capture(file);
  const api = await release.serviceAddress(`${RELEASE}-api`);
  const answer = await fetch(`http://${api}:443/v1/dns/zones`, { headers: { authorization: `Bearer ${MARKER}` } });
  expect(answer.status).toBe(400);
  // The kernel hands packets over in blocks, up to a second later.
  await expect.poll(() => readFile(file, 'latin1'), { timeout: 10_000 }).toContain(MARKER);
  await stopped?.();
  const packets = await readFile(file, 'latin1');
  return PATTERNS.some((pattern) => pattern.test(packets));
}

/** The api's port without TLS is open inside of its pods alone, for kubectl port-forward. */
async function listensWithTlsOnly({ kubectl }: TestCluster): Promise<void> {
  const of = 'app.kubernetes.io/component=api';
  const addresses = await kubectl('-n', NAMESPACE, 'get', 'pods', '-l', of, '-o=jsonpath={.items[*].status.podIP}');
  expect(addresses).not.toBe('');
  for (const address of addresses.split(' ')) {
    const host = address.includes(':') ? `[${address}]` : address;
    const signal = AbortSignal.timeout(10_000);
    await expect(fetch(`http://${host}:8080/v1/dns/openapi.json`, { signal })).rejects.toThrow();
  }
}

/** The secret values of the release: passwords, keys, and each line of a private key. */
async function readSecrets({ kubectl }: TestCluster): Promise<{ place: string; text: string }[]> {
  const { items } = JSON.parse(await kubectl('-n', NAMESPACE, 'get', 'secrets', '-o', 'json')) as {
    items: { type: string; metadata: { name: string }; data?: Record<string, string> }[];
  };
  return items
    .filter(({ type, metadata }) => !type.startsWith('helm.sh/') && metadata.name.startsWith(`${RELEASE}-`))
    .flatMap(({ metadata, data = {} }) =>
      Object.entries(data).flatMap(([key, value]) => {
        if (PUBLIC.has(key)) return [];
        const lines = Buffer.from(value, 'base64').toString('utf8').split('\n');
        return lines
          .filter((text) => text.length >= SECRET_LENGTH && !text.startsWith('-----'))
          .map((text) => ({ place: `${metadata.name} ${key}`, text }));
      }),
    );
}
