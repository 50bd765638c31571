// Helpers for tests of certificates: Certificates as objects, the messages of their Challenges, the issued
// certificates.
import { X509Certificate } from 'node:crypto';
import { DNS_NAME_ANNOTATION } from '#solver/names.ts';
import { watchObjects } from '../kube/watching.ts';
import type { TestStack } from '../stack/stack.ts';
import { untilIs, untilNone } from '../time/until.ts';

const LOOK_MS = 200;
/** Only ends what hangs, on a machine of any speed. */
const LIMIT_MS = 120_000;
/** cert-manager makes a request within a second or two; it never comes if cert-manager has dropped the condition. */
const RENEW_AGAIN_MS = 20_000;
const RENEWALS = 5;
const ISSUER = { kind: 'ClusterIssuer', name: 'zonestead' };

export function certificateObject(name: string, dnsNames: string[], namespace = 'default', issuerRef = ISSUER): object {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace },
    spec: {
      secretName: `${name}-tls`,
      dnsNames,
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      issuerRef,
    },
  };
}

/** Applies and waits. @throws with the messages of the Challenges when the Certificate does not become Ready */
export async function issue(test: TestStack, ...certificates: object[]): Promise<void> {
  const { ok, words } = await test.apply(...certificates);
  if (!ok) throw new Error(words);
  await issued(test, ...certificates);
}

export async function issued(test: TestStack, ...certificates: object[]): Promise<void> {
  for (const certificate of certificates) {
    const { name, namespace } = (certificate as { metadata: { name: string; namespace: string } }).metadata;
    try {
      await test.ready('-n', namespace, `certificate/${name}`);
    } catch (error) {
      throw new Error(
        `${name}: ${String(error)}; Challenges say: ${(await challengeReasons(test, namespace)).join(' | ')}`,
      );
    }
  }
}

/** The names in the issued certificate, sorted. */
export async function namesIn(test: TestStack, name: string, namespace = 'default'): Promise<string[]> {
  const { subjectAltName = '' } = await secretCertificate(test, `${name}-tls`, namespace);
  return subjectAltName
    .split(', ')
    .map((each) => each.replace(/^DNS:/, ''))
    .sort();
}

async function challengeReasons(test: TestStack, namespace = 'default'): Promise<string[]> {
  const items = await test.kube.list<{ status?: { reason?: string } }>('challenge', namespace);
  return items.map(({ status }) => status?.reason ?? '').filter((reason) => reason !== '');
}

/** Waits until some Challenge of the namespace says this. */
export async function challengeSays(test: TestStack, namespace: string, text: string): Promise<void> {
  const said = async () => (await challengeReasons(test, namespace)).join(' | ');
  await untilIs(`a Challenge to say "${text}"`, said, (reasons) => reasons.includes(text), LIMIT_MS, LOOK_MS);
}

interface SolverRecord {
  metadata: { namespace: string; name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  status?: { conditions?: { type: string; reason: string }[] };
}

const SOLVER = ['app.kubernetes.io/managed-by', 'zonestead-solver'] as const;

/** The records of the solver for one of these names (without `_acme-challenge`), or for any when none is given. */
function forNames(records: readonly SolverRecord[], dnsNames: readonly string[]): SolverRecord[] {
  return records.filter(({ metadata: { labels, annotations } }) => {
    const dnsName = annotations?.[DNS_NAME_ANNOTATION] ?? '';
    return labels?.[SOLVER[0]] === SOLVER[1] && (dnsNames.length === 0 || dnsNames.includes(dnsName));
  });
}

/** `namespace/name` of each of them. */
function placesFor(records: readonly SolverRecord[], dnsNames: readonly string[]): string[] {
  return forNames(records, dnsNames).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

/** The reasons of the condition Ready of the solver's records for a name. */
export async function challengeConditions(test: TestStack, dnsName: string): Promise<string[]> {
  const records = forNames(await test.kube.list<SolverRecord>('zdr'), [dnsName]);
  return records.flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? []);
}

/** The records of the solver that are there now, in every namespace. */
export async function challengeRecords(test: TestStack, ...dnsNames: string[]): Promise<string[]> {
  return placesFor(await test.kube.list<SolverRecord>('zdr'), dnsNames);
}

/** The records of the solver from now on: on a busy machine two looks may miss one that was there between them. */
export async function watchChallenges(
  test: TestStack,
): Promise<{ seen(...dnsNames: string[]): string[]; stop(): Promise<void> }> {
  const watching = await watchObjects<SolverRecord>(test, 'zdr', { labelSelector: SOLVER.join('=') });
  return {
    seen: (...dnsNames) => [...new Set(placesFor(watching.states(), dnsNames))],
    stop: () => watching.stop(),
  };
}

/** Nothing of a challenge is left, neither as an object nor in DNS. */
export async function leavesNothing(test: TestStack, dnsName: string): Promise<void> {
  await untilNone(`the records of ${dnsName} to be gone`, () => challengeRecords(test, dnsName), LIMIT_MS, LOOK_MS);
  await untilNone(`${dnsName} to be gone from DNS`, () => test.dig(`_acme-challenge.${dnsName}`, 'TXT'), LIMIT_MS);
}

/**
 * The effect of `cmctl renew`: the condition that makes cert-manager issue again, until there is a request for the next
 * revision. cert-manager may drop the condition, so it is set again. @returns the revision that is to be renewed
 */
export async function renew(test: TestStack, name: string, namespace = 'default'): Promise<number> {
  const old = await settledRevision(test, name, namespace);
  const value = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'Certificate re-issuance manually triggered',
    lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
  };
  const patch = JSON.stringify([{ op: 'add', path: '/status/conditions/-', value }]);
  const at = ['-n', namespace, 'patch', 'certificate', name, '--subresource=status', '--type=json'];
  for (let attempt = 1; ; attempt += 1) {
    // Refused while the condition is still there.
    await test.kubectl(...at, '-p', patch).catch(() => undefined);
    try {
      const requests = () => requestedRevisions(test, name, namespace);
      await untilIs(
        `a request to renew ${name}`,
        requests,
        (seen) => seen.some((each) => each > old),
        RENEW_AGAIN_MS,
        LOOK_MS,
      );
      return old;
    } catch (error) {
      if (attempt === RENEWALS) throw error;
    }
  }
}

/** The revisions for which cert-manager has made a CertificateRequest. */
async function requestedRevisions(test: TestStack, name: string, namespace: string): Promise<number[]> {
  type Request = { metadata: { annotations?: Record<string, string> } };
  const requests = await test.kube.list<Request>('certificaterequest', namespace);
  return requests
    .map(({ metadata }) => metadata.annotations ?? {})
    .filter((annotations) => annotations['cert-manager.io/certificate-name'] === name)
    .map((annotations) => Number(annotations['cert-manager.io/certificate-revision']));
}

/** How often the certificate was issued. */
async function revision(test: TestStack, name: string, namespace = 'default'): Promise<number> {
  const { status } = await test.kube.get<{ status?: { revision?: number } }>(`certificate/${name}`, namespace);
  return status?.revision ?? 0;
}

/**
 * The revision once cert-manager has ended its issuance. cert-manager writes the Secret, and Ready, before the
 * revision: a look between them sees the revision before, and a wait for the next one would end with the Secret that is
 * there already.
 */
async function settledRevision(test: TestStack, name: string, namespace: string): Promise<number> {
  type Status = { revision?: number; conditions?: { type: string; status: string }[] };
  let settled = 0;
  const look = async () => {
    const { status } = await test.kube.get<{ status?: Status }>(`certificate/${name}`, namespace);
    const issuing = status?.conditions?.some(({ type, status: is }) => type === 'Issuing' && is === 'True') ?? false;
    settled = issuing ? 0 : (status?.revision ?? 0);
    return settled;
  };
  await untilIs(`the issuance of ${name} to end`, look, (seen) => seen > 0, LIMIT_MS, LOOK_MS);
  return settled;
}

/** Waits until the certificate was issued again: on a busy machine cert-manager may issue it twice for one request. */
export async function revisionAfter(test: TestStack, old: number, name: string, namespace = 'default'): Promise<void> {
  const now = () => revision(test, name, namespace);
  await untilIs(`a revision of ${name} after ${old}`, now, (seen) => seen > old, LIMIT_MS, LOOK_MS);
}

/** The issued certificate of a Secret. */
export async function secretCertificate(test: TestStack, secret: string, namespace: string): Promise<X509Certificate> {
  const { data } = await test.kube.get<{ data: Record<string, string> }>(`secret/${secret}`, namespace);
  return new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
}
