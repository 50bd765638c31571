import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type ApiService,
  judgeAccess,
  judgeAnswer,
  judgeApiService,
  judgeCaBundle,
  judgeIssuers,
} from '#diagnosis/solver-checks.ts';
import {
  findZone,
  judgeDelegation,
  judgeGrant,
  judgeNodes,
  judgeSecondaries,
  judgeZone,
} from '#diagnosis/zone-checks.ts';
import type { ZoneMatch } from '#solver/zone-match.ts';
import { ensureAuthority } from '../../../deploy/local/parts/certificates.ts';
import { OWN, zone } from '../../support/cert-manager/solver.ts';

function service(available: string, reason: string, message: string, spec: object = {}): ApiService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1alpha1.acme.zonestead.dev' },
    spec: { service: { name: 'zonestead-solver', namespace: 'zonestead', port: 443 }, ...spec },
    status: { conditions: [{ type: 'Available', status: available, reason, message }] },
  };
}

test.each([
  ['missing', undefined, 'kubectl apply -f deploy/solver/apiservice.yaml'],
  [
    'without its Service',
    service('False', 'ServiceNotFound', 'not there'),
    'Service zonestead/zonestead-solver is missing',
  ],
  ['without pods', service('False', 'MissingEndpoints', 'no addresses'), 'No solver pod is ready'],
  [
    'not trusted',
    service('False', 'FailedDiscoveryCheck', 'x509: certificate signed by unknown authority'),
    'zonestead-solver.zonestead.svc',
  ],
  ['out of reach', service('False', 'FailedDiscoveryCheck', 'dial tcp: refused'), 'Is the solver running'],
])('the APIService with %s is a failure with a fix', (_case, given, words) => {
  const { level, nextStep } = judgeApiService(given);
  expect(level).toBe('fail');
  expect(nextStep?.words).toContain(words);
});

test('the APIService passes if it is available', () =>
  expect(judgeApiService(service('True', 'Passed', '')).level).toBe('ok'));

test('the APIService needs a caBundle that is valid for some time', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'zonestead-doctor-'));
  const { certificate } = await ensureAuthority({ dir, name: 'ca', commonName: 'ca' });
  await rm(dir, { recursive: true });
  const caBundle = Buffer.from(certificate).toString('base64');
  const judge = (spec: object, days: number) =>
    judgeCaBundle(service('True', '', '', spec), new Date(Date.now() + days * 86_400_000)).level;
  expect(judge({ caBundle }, 0)).toBe('ok');
  expect(judge({ caBundle }, 3_645)).toBe('warn');
  expect(judge({ caBundle }, 4_000)).toBe('fail');
  expect(judge({}, 0)).toBe('fail');
  expect(judge({ caBundle: 'AAAA' }, 0)).toBe('fail');
  expect(judge({ insecureSkipTLSVerify: true }, 0)).toBe('warn');
});

test('cert-manager gets the command that grants a missing right', () => {
  const { level, nextStep } = judgeAccess('system:serviceaccount:certs:manager', false);
  expect(level).toBe('fail');
  expect(nextStep?.words).toContain('--serviceaccount=certs:manager');
});

test('cert-manager fails if an Issuer names a solver that does not exist', () => {
  const issuer = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'ClusterIssuer',
    metadata: { name: 'one' },
    spec: {
      acme: { solvers: [{ dns01: { webhook: { groupName: 'acme.zonestead.dev', solverName: 'zonested' } } }] },
    },
  };
  expect(judgeIssuers([issuer])[0]).toMatchObject({
    level: 'fail',
    nextStep: { words: 'Set solverName: zonestead' },
  });
  expect(judgeIssuers([])[0]?.level).toBe('warn');
});

test('cert-manager fails if the solver answers with an error, or does not answer', () => {
  expect(judgeAnswer({ success: true }).level).toBe('ok');
  expect(judgeAnswer({ success: false, message: 'why' }).what).toContain('why');
  expect(judgeAnswer({ error: 'refused' }).level).toBe('fail');
});

const find = (name: string, ...zones: ReturnType<typeof zone>[]) => findZone(name, zones) as ZoneMatch;

test('a name belongs to the zone of its challenge: without the asterisk, the longest zone', () => {
  expect(find('*.www.example.org', zone('a', 'example.org'), zone('b', 'www.example.org')).zone.metadata.name).toBe(
    'b',
  );
  expect(findZone('other.test', [zone('a', 'example.org')])).toMatchObject({ level: 'fail' });
});

test('a name needs a grant, a Ready zone and a delegation', () => {
  expect(judgeGrant(find('example.org', zone('a', 'example.org')), 'default', () => ({})).level).toBe('fail');
  const match = find('example.org', zone('a', 'example.org', OWN));
  expect(judgeGrant(match, 'default', () => ({})).level).toBe('ok');
  expect(judgeZone(match.zone)).toMatchObject({
    level: 'fail',
    nextStep: { words: 'See whether an operator is the leader.' },
  });
  expect(judgeDelegation(match.zone).level).toBe('warn');
});

test('a name needs nodes that have the zone', () => {
  const judged = (status: object) => {
    const match = find('example.org', zone('a', 'example.org', OWN));
    return judgeNodes({ ...match.zone, status: { conditions: [], ...status } }).map(
      ({ level, what }) => `${level}: ${what}`,
    );
  };
  const current = { name: 'ns1', state: 'Current' };
  const behind = { name: 'ns2', state: 'Behind', problem: 'node ns2 has not applied the last change yet' };
  const starting = { name: 'ns3', state: 'Starting' };
  expect(judged({})).toEqual([]);
  expect(judged({ nodes: [], nodesCurrent: '0/0' })).toEqual(['warn: No node reports to the api']);
  expect(judged({ nodes: [current, starting], nodesCurrent: '1/1' })).toEqual([
    'ok: 1/1 nodes have the zone as it is stored',
  ]);
  expect(judged({ nodes: [{ ...current, evenly: true }], nodesCurrent: '1/1' })).toEqual([
    'ok: 1/1 nodes have the zone as it is stored. Node ns1 answers records with weights with all of them, evenly: that takes Knot DNS 3.4 with knot-module-geoip to draw.',
  ]);
  expect(judged({ nodes: [current, behind], nodesCurrent: '1/2' })).toEqual([
    'fail: node ns2 has not applied the last change yet',
  ]);
});

test('a name reports secondaries that are not current, as a failure only if Ready waits for them', () => {
  const judged = (secondary: object, spec: object = {}) => {
    const match = find('example.org', zone('a', 'example.org', OWN));
    const status = {
      conditions: [],
      secondaries: [{ name: 'eu', state: 'Behind', problem: 'eu is late', ...secondary }],
    };
    const object = { ...match.zone, spec: { ...match.zone.spec, ...spec }, status } as ZoneMatch['zone'];
    return judgeSecondaries(object).map(({ level, what }) => `${level}: ${what}`);
  };
  const named = { nameservers: ['ns.eu.test'] };
  expect(judged({ state: 'Current' })).toEqual(['ok: Secondary eu has the zone']);
  expect(judged(named)).toEqual(['fail: eu is late']);
  expect(judged({ ...named, state: 'Unknown' })).toEqual(['warn: eu is late']);
  expect(judged(named, { readyWhen: 'OwnNodes' })).toEqual(['warn: eu is late']);
  // A hidden secondary.
  expect(judged({})).toEqual(['warn: eu is late']);
});
