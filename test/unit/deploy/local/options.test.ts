// The options of `up`: defaults, checks, and messages that name the option as it was typed.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readUpOptions } from '../../../../deploy/local/options.ts';
import { ENVTEST_ARCHIVES } from '../../../../deploy/local/parts/envtest.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('options');
const config = join(folder, 'config');
await writeFile(config, '');

test('up without options keeps its state, applies the example, enforces the limits, and uses free ports', () => {
  const preset = {
    fresh: false,
    empty: false,
    limits: 'on',
    withoutKubernetes: false,
    certManager: false,
    nodes: 1,
    prebuilt: ENVTEST_ARCHIVES,
  };
  expect(readUpOptions({}, undefined)).toEqual(preset);
});

test('up accepts all options, ports as text too', () => {
  const ports = { apiPort: '8080', dnsPort: 5300 };
  const given = { fresh: true, empty: true, limits: 'off', ...ports, nodes: '3', kubeconfig: config };
  expect(readUpOptions(given, undefined)).toEqual({
    ...given,
    apiPort: 8080,
    nodes: 3,
    withoutKubernetes: false,
    certManager: false,
    prebuilt: ENVTEST_ARCHIVES,
  });
});

test('up takes prebuilt programs from the mirror that an option names, or builds them', () => {
  expect(readUpOptions({ prebuilt: 'https://mirror.example/envtest' }, undefined).prebuilt).toBe(
    'https://mirror.example/envtest',
  );
  expect(readUpOptions({ prebuilt: 'off' }, undefined).prebuilt).toBe(undefined);
});

test('up uses the cluster of KUBECONFIG unless an option names another', async () => {
  const other = join(await mkdtemp(join(folder, 'other-')), 'config');
  await writeFile(other, '');
  expect(readUpOptions({}, config).kubeconfig).toBe(config);
  expect(readUpOptions({ kubeconfig: other }, config).kubeconfig).toBe(other);
  expect(readUpOptions({}, '').kubeconfig).toBe(undefined);
});

test('up leaves Kubernetes out also where KUBECONFIG is set', () => {
  expect(readUpOptions({ withoutKubernetes: true }, config).withoutKubernetes).toBe(true);
});

test('up makes paths absolute', () => {
  expect(readUpOptions({ state: 'some/where' }, undefined).state).toBe(resolve('some/where'));
});

test.each([
  [{ apiPort: 'http' }, '--api-port must be a port number'],
  [{ apiPort: '0' }, '--api-port must be a port number from 1 to 65535'],
  [{ dnsPort: '65536' }, '--dns-port must be a port number from 1 to 65535'],
  [{ dnsPort: '53.5' }, '--dns-port must be a port number'],
  [{ limits: 'none' }, '--limits must be on or off'],
  [{ prebuilt: 'mirror.example' }, '--prebuilt must be the address (http or https) of a mirror, or off'],
  [{ withoutKubernetes: true, certManager: true }, '--without-kubernetes excludes --cert-manager and --kubeconfig'],
  [{ withoutKubernetes: true, kubeconfig: config }, '--without-kubernetes excludes --cert-manager and --kubeconfig'],
  [{ kubeconfig: '/nowhere/config' }, '--kubeconfig names no file'],
])('up refuses %j: %s', (given, message) => {
  expect(() => readUpOptions(given, undefined)).toThrow(message);
});

test('up names every wrong option at once', () => {
  expect(() => readUpOptions({ limits: 'x', apiPort: 'y' }, undefined)).toThrow(
    /--limits .*; --api-port |--api-port .*; --limits /,
  );
});
