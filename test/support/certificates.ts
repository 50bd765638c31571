// What tests of certificates share: Certificates as objects, what a Challenge says, what was issued.
import { X509Certificate } from 'node:crypto';
import { expect } from 'vitest';
import type { TestStack } from './stack.ts';

export function certificateObject(name: string, dnsNames: string[], namespace = 'default'): object {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace },
    spec: {
      secretName: `${name}-tls`,
      dnsNames,
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      issuerRef: { kind: 'ClusterIssuer', name: 'zonestead' },
    },
  };
}

/** Applies and waits. @throws with what the Challenges say when it does not become Ready */
export async function issue(test: TestStack, seconds: number, ...certificates: object[]): Promise<void> {
  const { ok, words } = await test.apply(...certificates);
  if (!ok) throw new Error(words);
  await issued(test, seconds, ...certificates);
}

/** `seconds` below 60: kubectl gets a minute for all that it does. */
export async function issued(test: TestStack, seconds: number, ...certificates: object[]): Promise<void> {
  for (const certificate of certificates) {
    const { name, namespace } = (certificate as { metadata: { name: string; namespace: string } }).metadata;
    try {
      const limit = `--timeout=${seconds}s`;
      await test.kubectl('-n', namespace, 'wait', '--for=condition=Ready', limit, `certificate/${name}`);
    } catch (error) {
      throw new Error(
        `${name}: ${String(error)}; Challenges say: ${(await challengeReasons(test, namespace)).join(' | ')}`,
      );
    }
  }
}

/** The names in the issued certificate, sorted. */
export async function namesIn(test: TestStack, name: string, namespace = 'default'): Promise<string[]> {
  const path = '-o=jsonpath={.data.tls\\.crt}';
  const text = await test.kubectl('-n', namespace, 'get', 'secret', `${name}-tls`, path);
  const { subjectAltName = '' } = new X509Certificate(Buffer.from(text, 'base64'));
  return subjectAltName
    .split(', ')
    .map((each) => each.replace(/^DNS:/, ''))
    .sort();
}

export async function challengeReasons(test: TestStack, namespace = 'default'): Promise<string[]> {
  const text = await test.kubectl('-n', namespace, 'get', 'challenges', '-o', 'json');
  const { items } = JSON.parse(text) as { items: { status?: { reason?: string } }[] };
  return items.map(({ status }) => status?.reason ?? '').filter((reason) => reason !== '');
}

/** Waits until some Challenge of the namespace says this. */
export async function challengeSays(test: TestStack, namespace: string, text: string): Promise<void> {
  await expect
    .poll(async () => (await challengeReasons(test, namespace)).join(' | '), { timeout: 60_000, interval: 250 })
    .toContain(text);
}

/** The records of the solver, in every namespace. */
export async function challengeRecords(test: TestStack): Promise<string[]> {
  const out = await test.kubectl(
    'get',
    'zdr',
    '-A',
    '-l',
    'app.kubernetes.io/managed-by=zonestead-solver',
    '-o',
    'name',
  );
  return out.split('\n').filter((line) => line !== '');
}
