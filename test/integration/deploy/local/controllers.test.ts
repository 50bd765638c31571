// The controllers of `npm run up`, without nodes: each does its work on a real control plane, with the rights of its
// own service account.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { type ControlPlane, startControlPlane } from '../../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { waitFor } from '../../../../deploy/local/parts/wait.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const FIRST_BUILD_MS = 30 * 60_000;
const stateDir = await temporaryFolder('controllers');
const signal = AbortSignal.timeout(FIRST_BUILD_MS);
let dir: string;
let cluster: ControlPlane;

beforeAll(async () => {
  ({ dir } = await ensureControlPlane({ progress: () => {}, signal }));
  const ports = await allocatePorts([{ name: 'etcd' }, { name: 'etcdPeer' }, { name: 'apiserver' }], { stateDir });
  cluster = await startControlPlane({ dir, stateDir, ports, signal });
}, FIRST_BUILD_MS);
afterAll(() => cluster?.stop());

async function run(kubeconfig: string, args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const all = ['--kubeconfig', kubeconfig, ...args];
  const result = await runCommand({ command: join(dir, 'kubectl'), args: all, timeoutMs: 60_000, signal });
  return { code: result.code, text: result.code === 0 ? result.out : result.tail };
}

async function kubectl(...args: string[]): Promise<string> {
  const { code, text } = await run(cluster.kubeconfig, args);
  if (code !== 0) throw new Error(text);
  return text;
}

let files = 0;
async function create(object: object, kubeconfig = cluster.kubeconfig): Promise<{ code: number | null; text: string }> {
  files += 1;
  const file = join(stateDir, `object-${files}.json`);
  await writeFile(file, JSON.stringify(object));
  return run(kubeconfig, ['create', '-f', file]);
}

async function created(object: object): Promise<void> {
  const { code, text } = await create(object);
  expect(text).toContain('created');
  expect(code).toBe(0);
}

/** Waits until a value of an object is as expected. @returns it */
async function value(path: string, object: readonly string[], fits: (text: string) => boolean): Promise<string> {
  let text = '';
  const look = async () => {
    ({ text } = await run(cluster.kubeconfig, ['get', ...object, '-o', `jsonpath=${path}`]));
    return fits(text);
  };
  await waitFor(look, {
    ...{ what: `${path} of ${object.join(' ')}`, timeoutMs: 60_000, intervalMs: 100 },
    ...{ part: cluster.parts, signal },
  });
  return text;
}

test('a deleted namespace is emptied and goes away', async () => {
  await kubectl('create', 'namespace', 'short');
  await kubectl('-n', 'short', 'create', 'configmap', 'inside');
  await kubectl('delete', 'namespace', 'short', '--timeout=60s');
  expect((await run(cluster.kubeconfig, ['get', 'namespace', 'short'])).text).toContain('NotFound');
  await kubectl('create', 'namespace', 'short');
  expect(await kubectl('-n', 'short', 'get', 'configmap', 'inside', '--ignore-not-found')).toBe('');
});

test('objects of a deleted owner are deleted', async () => {
  await kubectl('create', 'configmap', 'owner');
  const uid = await kubectl('get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await created({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences } });
  await kubectl('delete', 'configmap', 'owner');
  await value('{.metadata.name}', ['configmap', 'owned'], (text) => text.includes('NotFound'));
});

test('a service account gets a token in a Secret, and each namespace the authority of the API server', async () => {
  await kubectl('create', 'serviceaccount', 'robot');
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const type = 'kubernetes.io/service-account-token';
  await created({ apiVersion: 'v1', kind: 'Secret', type, metadata: { name: 'robot', annotations } });
  const encoded = await value('{.data.token}', ['secret', 'robot'], (text) => text !== '');
  const token = Buffer.from(encoded, 'base64').toString();
  const server = /server: (\S+)/.exec(await kubectl('config', 'view'))?.[1] as string;
  const who = ['--kubeconfig=/dev/null', `--server=${server}`, `--token=${token}`, 'auth', 'whoami'];
  const authority = join(stateDir, 'controlplane/pki/ca.crt');
  const args = [...who, `--certificate-authority=${authority}`];
  const { out, tail } = await runCommand({ command: join(dir, 'kubectl'), args, timeoutMs: 60_000, signal });
  expect(out, tail).toContain('system:serviceaccount:default:robot');
  const published = await value('{.data.ca\\.crt}', ['configmap', 'kube-root-ca.crt'], (text) => text !== '');
  expect(published.trim()).toBe((await readFile(authority, 'utf8')).trim());
});

test('an aggregated ClusterRole has the rules of the roles that it selects', async () => {
  const labels = { 'example.com/aggregate-to-zones': 'true' };
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
  const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  await created({ ...kind, metadata: { name: 'zones' }, aggregationRule, rules: [] });
  const rules = [{ apiGroups: ['zonestead.dev'], resources: ['dnszones'], verbs: ['get'] }];
  await created({ ...kind, metadata: { name: 'zones-get', labels }, rules });
  await value('{.rules[0].resources[0]}', ['clusterrole', 'zones'], (text) => text === 'dnszones');
});

test('a ResourceQuota counts objects, also those that are deleted, and refuses more', async () => {
  await kubectl('create', 'namespace', 'limited');
  await kubectl('-n', 'limited', 'create', 'secret', 'generic', 'one');
  await kubectl('-n', 'limited', 'create', 'quota', 'few', '--hard=secrets=1');
  const used = async (count: string) =>
    value('{.status.used.secrets}', ['-n', 'limited', 'resourcequota', 'few'], (text) => text === count);
  await used('1');
  const refused = await run(cluster.kubeconfig, ['-n', 'limited', 'create', 'secret', 'generic', 'two']);
  expect(refused.text).toContain('exceeded quota: few');
  await kubectl('-n', 'limited', 'delete', 'secret', 'one');
  await used('0');
});

async function requestFor(subject: string, signerName: string, name: string): Promise<object> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  const text = `${request.toString('pem')}\n`;
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { signerName, usages: ['digital signature', 'client auth'], request: Buffer.from(text).toString('base64') },
  };
}

/** The subject of the certificate of a request, once it is signed. */
async function signed(name: string): Promise<string> {
  const encoded = await value('{.status.certificate}', ['csr', name], (text) => text !== '');
  return new x509.X509Certificate(Buffer.from(encoded, 'base64').toString()).subject;
}

test('a certificate request is signed after an approval', async () => {
  await created(await requestFor('CN=jane', 'kubernetes.io/kube-apiserver-client', 'jane'));
  expect(await kubectl('get', 'csr', 'jane', '-o', 'jsonpath={.status}')).toBe('{}');
  await kubectl('certificate', 'approve', 'jane');
  expect(await signed('jane')).toBe('CN=jane');
});

test('the request of a node for its own certificate is approved and signed', async () => {
  const role = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';
  await kubectl('create', 'clusterrolebinding', 'nodes', `--clusterrole=${role}`, '--group=system:nodes');
  const node = await cluster.clientConfig('system:node:one', ['system:nodes']);
  const signer = 'kubernetes.io/kube-apiserver-client-kubelet';
  const { code, text } = await create(await requestFor('O=system:nodes,CN=system:node:one', signer, 'node'), node);
  expect(code, text).toBe(0);
  expect(await signed('node')).toContain('CN=system:node:one');
});

test('a ValidatingAdmissionPolicy gets warnings about its expressions', async () => {
  const resourceRules = [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['*'] }];
  const validations = [{ expression: 'object.spec.replicas > "three"' }];
  await created({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'wrong' },
    spec: { matchConstraints: { resourceRules }, validations },
  });
  const path = '{.status.typeChecking.expressionWarnings[0].warning}';
  expect(await value(path, ['validatingadmissionpolicy', 'wrong'], (text) => text !== '')).toContain(
    'no matching overload',
  );
});

test('each controller has its own service account, without the rights of the others', async () => {
  const account = 'system:serviceaccount:kube-system:clusterrole-aggregation-controller';
  const names = (await kubectl('-n', 'kube-system', 'get', 'serviceaccounts', '-o', 'name')).split('\n');
  expect(names).toContain('serviceaccount/clusterrole-aggregation-controller');
  expect((await run(cluster.kubeconfig, ['auth', 'can-i', 'delete', 'namespaces', '--as', account])).text).toContain(
    'no',
  );
});

test('an unknown controller is refused with the names of the known ones', async () => {
  const config = join(stateDir, 'controlplane/controller-manager.kubeconfig');
  const pki = (name: string) => join(stateDir, 'controlplane/pki', name);
  const args = ['--controllers=volume-controller', `--kubeconfig=${config}`, `--root-ca-file=${pki('ca.crt')}`].concat([
    `--service-account-private-key-file=${pki('service-accounts.key')}`,
    `--cluster-signing-cert-file=${pki('ca.crt')}`,
    `--cluster-signing-key-file=${pki('ca.key')}`,
  ]);
  const { code, tail } = await runCommand({ command: join(dir, 'controllers'), args, timeoutMs: 60_000, signal });
  expect(code).toBe(1);
  expect(tail).toContain('there is no controller volume-controller here, only certificatesigningrequest-approving-');
});
