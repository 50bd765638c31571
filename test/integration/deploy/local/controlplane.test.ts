// A real control plane: it answers, keeps its objects over a restart, obeys RBAC, and leaves no process.
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { type ControlPlane, startControlPlane } from '../../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../../deploy/local/parts/controlplane-build.ts';
import { pidExists } from '../../../../deploy/local/parts/liveness.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { waitFor } from '../../../../deploy/local/parts/wait.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const FIRST_BUILD_MS = 30 * 60_000;
const stateDir = await temporaryFolder('controlplane');
const signal = AbortSignal.timeout(FIRST_BUILD_MS);
let dir: string;
let cluster: ControlPlane;

beforeAll(async () => {
  ({ dir } = await ensureControlPlane({ progress: () => {}, signal }));
  cluster = await start();
}, FIRST_BUILD_MS);
afterAll(() => cluster?.stop());

const portsIn = (folder: string) =>
  allocatePorts([{ name: 'etcd' }, { name: 'etcdPeer' }, { name: 'apiserver' }], { stateDir: folder });

async function start(): Promise<ControlPlane> {
  return startControlPlane({ dir, stateDir, ports: await portsIn(stateDir), signal });
}

async function kubectl(kubeconfig: string, ...args: string[]): Promise<{ code: number | null; text: string }> {
  const command = join(dir, 'kubectl');
  const result = await runCommand({ command, args: ['--kubeconfig', kubeconfig, ...args], timeoutMs: 60_000, signal });
  return { code: result.code, text: result.tail };
}

const admin = async (...args: string[]) => (await kubectl(cluster.kubeconfig, ...args)).text;
const eventually = (what: string, check: () => Promise<boolean>) =>
  waitFor(check, { what, timeoutMs: 60_000, intervalMs: 100, part: cluster.parts, signal });

test('a namespace can be created, gets its service account from a controller, and can be deleted', async () => {
  expect(await admin('create', 'namespace', 'short')).toContain('namespace/short created');
  await eventually('the default service account', async () =>
    (await admin('-n', 'short', 'get', 'serviceaccount', 'default', '-o', 'name')).includes('serviceaccount/default'),
  );
  expect(await admin('-n', 'short', 'create', 'token', 'default')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(await admin('delete', 'namespace', 'short')).toContain('deleted');
});

test('an identity by client certificate has its groups and no more rights than RBAC gives', async () => {
  const reader = await cluster.clientConfig('jane', ['readers']);
  expect((await kubectl(reader, 'auth', 'whoami')).text).toMatch(/Username\s+jane[\s\S]*readers/);
  expect((await kubectl(reader, 'get', 'namespaces')).text).toContain('Forbidden');
  await admin('create', 'clusterrole', 'readers', '--verb=list', '--resource=namespaces');
  await admin('create', 'clusterrolebinding', 'readers', '--clusterrole=readers', '--group=readers');
  await eventually('the new right', async () => (await kubectl(reader, 'get', 'namespaces')).code === 0);
});

test('the operator is a user of its own, by a token that only this account can read and that a restart keeps', async () => {
  const whoami = async () => (await kubectl(cluster.operatorKubeconfig, 'auth', 'whoami')).text;
  expect(await whoami()).toMatch(/Username\s+zonestead-operator/);
  expect((await kubectl(cluster.operatorKubeconfig, 'get', 'namespaces')).text).toContain('Forbidden');
  const files = [cluster.operatorKubeconfig, cluster.kubeconfig, join(stateDir, 'controlplane', 'tokens.csv')];
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  const before = await readFile(cluster.operatorKubeconfig, 'utf8');
  await cluster.stop();
  cluster = await start();
  expect(await readFile(cluster.operatorKubeconfig, 'utf8')).toBe(before);
  expect(await whoami()).toMatch(/Username\s+zonestead-operator/);
});

test('aggregated APIs are on: the authority for the front proxy is published', async () => {
  const published = await admin(
    '-n',
    'kube-system',
    'get',
    'configmap',
    'extension-apiserver-authentication',
    '-o',
    'yaml',
  );
  expect(published).toContain('requestheader-client-ca-file');
  expect(published).toContain('front-proxy-client');
});

test('stopping leaves no process, and the next start finds the objects', async () => {
  await admin('create', 'namespace', 'kept');
  const pids = cluster.parts.map((part) => part.pid);
  expect(pids).toHaveLength(3);
  await cluster.stop();
  expect(pids.filter(pidExists)).toEqual([]);
  cluster = await start();
  expect(await admin('get', 'namespace', 'kept', '-o', 'name')).toBe('namespace/kept');
});

test('a start after SIGKILL of every part finds the objects', async () => {
  await admin('create', 'namespace', 'crashed');
  await Promise.all(cluster.parts.map((part) => part.stop({ signal: 'SIGKILL' })));
  cluster = await start();
  expect(await admin('get', 'namespace', 'crashed', '-o', 'name')).toBe('namespace/crashed');
});

// They start after kube-apiserver; kube-controller-manager would try for 10 s to find it healthy, and then end.
test('the controllers come to an API server that takes long to start', { timeout: 300_000 }, async () => {
  const slow = join(stateDir, 'slow');
  const programs = join(slow, 'programs');
  await mkdir(programs, { recursive: true });
  for (const name of ['etcd', 'controllers']) await symlink(join(dir, name), join(programs, name));
  const server = join(programs, 'kube-apiserver');
  await writeFile(server, `#!/bin/sh\nsleep 11\nexec ${join(dir, 'kube-apiserver')} "$@"\n`);
  await chmod(server, 0o755);
  const ports = await portsIn(slow);
  const late = await startControlPlane({ dir: programs, stateDir: slow, ports, signal });
  try {
    await waitFor(
      async () => (await kubectl(late.kubeconfig, 'get', 'serviceaccount', 'default', '-o', 'name')).code === 0,
      { what: 'the default service account', timeoutMs: 60_000, intervalMs: 100, part: late.parts, signal },
    );
  } finally {
    await late.stop();
  }
});

test('a part that fails is reported with the end of its log, and nothing is left running', async () => {
  const other = join(stateDir, 'failing');
  await mkdir(other);
  const ports = await portsIn(other);
  const taken = Number(/server: https:\/\/127\.0\.0\.1:(\d+)/.exec(await admin('config', 'view'))?.[1]);
  await expect(
    startControlPlane({ dir, stateDir: other, ports: { ...ports, apiserver: taken }, signal }),
  ).rejects.toThrow(/^kube-apiserver ended .*address already in use/s);
});
