// The pods of the rendered chart: probes, termination, leader election, and the Secrets that they can create.
import { beforeAll, describe, expect, test } from 'vitest';
import { one, type Rendered, render } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

let objects: Rendered[];
beforeAll(async () => {
  objects = await render({});
});

const workload = (name: string) =>
  one(objects, name === 'nameserver' ? 'StatefulSet' : 'Deployment', `zonestead-${name}`).spec;
const podOf = (name: string) => workload(name).template.spec;
const containerOf = (name: string, container = name): Rendered =>
  podOf(name).containers.find((each: Rendered) => each.name === container);
const portNamed = (container: Rendered, name: string): number | undefined =>
  container.ports.find((port: { name: string }) => port.name === name)?.containerPort;

describe.each(['api', 'operator', 'solver', 'nameserver'])('a pod of the %s', (name) => {
  test(`a pod of the ${name} is ready if the process reports that it works, and restarts if the process does not answer`, () => {
    const { readinessProbe, livenessProbe, startupProbe, ...rest } = containerOf(name);
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'health' });
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'health' });
    expect(startupProbe.httpGet).toEqual({ path: '/healthz', port: 'health' });
    expect(portNamed(rest as Rendered, 'health')).toBe(9090);
    // A pod that cannot work leaves the Service long before a restart.
    const seconds = (probe: Rendered) => probe.periodSeconds * probe.failureThreshold;
    expect(seconds(readinessProbe)).toBeLessThanOrEqual(6);
    expect(seconds(livenessProbe)).toBeGreaterThanOrEqual(30);
  });
});

test('a name server pod that terminates answers for 10 s more, until every node knows, and then has time to end', () => {
  for (const container of ['knot', 'nameserver']) {
    expect(containerOf('nameserver', container).lifecycle.preStop).toEqual({ sleep: { seconds: 10 } });
  }
  expect(podOf('nameserver').terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
});

test('a name server pod that terminates ends before the next one does, and a rollback does not wait for a pod that never becomes ready', () => {
  const { updateStrategy, podManagementPolicy } = workload('nameserver');
  expect(updateStrategy).toEqual({ type: 'RollingUpdate' });
  expect(podManagementPolicy).toBe('Parallel');
});

test('an update of the name servers takes the next pod when the last one has been ready for 10 s, and none is killed while it loads for 10 minutes', () => {
  expect(workload('nameserver').minReadySeconds).toBe(10);
  const { startupProbe } = containerOf('nameserver', 'knot');
  expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(600);
  expect(containerOf('nameserver').env).toContainEqual({ name: 'ZONESTEAD_NODE_LOAD_SECONDS', value: '600' });
});

test('the operator omits name servers that answer nothing, unless a value says otherwise', async () => {
  const proofOf = (rendered: Rendered[]) =>
    one(rendered, 'Deployment', 'zonestead-operator').spec.template.spec.containers[0].env.find(
      (each: Rendered) => each.name === 'ZONESTEAD_PROOF',
    )?.value;
  expect(proofOf(objects)).toBe('Reachable');
  expect(proofOf(await render({ operator: { proof: 'All' } }))).toBe('All');
});

test('a name server pod that terminates leaves the Services for queries at once, but keeps its own address', () => {
  const published = objects.filter(({ kind, spec }) => kind === 'Service' && spec.publishNotReadyAddresses);
  expect(published.map(({ metadata, spec }) => [metadata.name, spec.clusterIP])).toEqual([
    ['zonestead-nameserver', 'None'],
  ]);
  expect(workload('nameserver').serviceName).toBe('zonestead-nameserver');
});

describe('the pods of the name servers', () => {
  const envOf = (container: string) =>
    Object.fromEntries(
      containerOf('nameserver', container).env.map(({ name, ...rest }: { name: string }) => [name, rest]),
    );

  test('the pods of the name servers have no database and no right to ask kube-apiserver, and are nodes with the names of the pods', () => {
    const { volumes, automountServiceAccountToken } = podOf('nameserver');
    const secrets = volumes.flatMap(({ secret }: Rendered) => (secret ? [secret] : []));
    // Only the authority that signs the certificate of the api, and no private key.
    expect(secrets).toEqual([
      expect.objectContaining({ secretName: 'zonestead-node-key' }),
      expect.objectContaining({ secretName: 'zonestead-api-tls', items: [{ key: 'ca.crt', path: 'ca.crt' }] }),
    ]);
    expect(automountServiceAccountToken).toBe(false);
    for (const container of ['knot', 'nameserver']) {
      expect(envOf(container).ZONESTEAD_NODE_NAME).toEqual({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } });
    }
  });

  test('the pods of the name servers give knotd the same settings as the process that checks them while knotd runs', () => {
    const [knot, nameserver] = [envOf('knot'), envOf('nameserver')];
    expect(Object.keys(knot).length).toBeGreaterThan(4);
    expect(nameserver).toMatchObject(knot);
    expect(knot.ZONESTEAD_KNOT_PORT).toEqual({
      value: String(portNamed(containerOf('nameserver', 'knot'), 'dns-udp')),
    });
  });

  test('the pods of the name servers keep keys and the control socket on a volume that ends with the pod', async () => {
    const { persistentVolumeClaimRetentionPolicy, volumeClaimTemplates } = workload('nameserver');
    expect(persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Delete' });
    expect(volumeClaimTemplates[0].spec.resources.requests.storage).toBe('1Gi');
    const without = one(
      await render({ nameserver: { persistence: { enabled: false } } }),
      'StatefulSet',
      'zonestead-nameserver',
    ).spec;
    expect(without).not.toHaveProperty('volumeClaimTemplates');
    expect(without.template.spec.volumes).toContainEqual({ name: 'data', emptyDir: { sizeLimit: '1Gi' } });
  });

  test('the pods of the name servers follow the api from another region with their own key and authority, and nothing else is installed', async () => {
    const all = await render(VALUE_SETS['name servers of another region'] ?? {}, { release: 'zonestead-eu' });
    const pods = all.filter(({ spec }) => spec?.template).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(pods).toEqual(['StatefulSet zonestead-eu-nameserver']);
    expect(
      all.map(({ kind }) => kind).filter((kind) => /Role|Secret|Job|Definition|APIService|Policy$/.test(kind)),
    ).toEqual(['NetworkPolicy', 'NetworkPolicy']);
    const { containers, volumes } = one(all, 'StatefulSet', 'zonestead-eu-nameserver').spec.template.spec;
    const node = containers.find(({ name }: { name: string }) => name === 'nameserver');
    expect(node.env).toEqual(
      expect.arrayContaining([
        { name: 'ZONESTEAD_FEED_URL', value: 'https://dns.example.net' },
        { name: 'ZONESTEAD_FEED_CA', value: '/etc/zonestead/feed-ca/ca.crt' },
      ]),
    );
    expect(volumes.flatMap(({ secret }: Rendered) => (secret ? [secret.secretName] : []))).toEqual([
      'zonestead-node-key',
      'zonestead-api-ca',
    ]);
  });
});

test('two operators share the Lease of their release, so one of them is active', () => {
  const { replicas } = one(objects, 'Deployment', 'zonestead-operator').spec;
  expect(replicas).toBe(2);
  const env = Object.fromEntries(
    containerOf('operator').env.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
  expect(env).toMatchObject({
    ZONESTEAD_LEADER_ELECTION: 'on',
    ZONESTEAD_LEASE_NAME: 'zonestead-operator',
    ZONESTEAD_LEASE_NAMESPACE: 'zonestead',
  });
});

const expressions = (all: readonly Rendered[]) =>
  all
    .filter(({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name.includes('-secrets.'))
    .flatMap(({ spec }) => spec.validations.map(({ expression }: { expression: string }) => expression));

test('the policy for Secrets names every account that can create Secrets, and the names that its Role lets it change', async () => {
  for (const [what, values] of Object.entries(VALUE_SETS)) {
    const all = await render(values);
    const creating = all.filter(
      ({ kind, rules = [] }) =>
        kind === 'Role' &&
        rules.some(({ resources, verbs }: Rendered) => resources.includes('secrets') && verbs.includes('create')),
    );
    const [text = ''] = expressions(all);
    for (const { rules } of creating) {
      const names = rules.flatMap(({ verbs, resourceNames = [] }: Rendered) =>
        verbs.includes('patch') && !verbs.includes('watch') ? resourceNames : [],
      );
      expect(names.length, what).toBeGreaterThan(0);
      for (const name of names) expect(text, what).toContain(JSON.stringify(name));
    }
    expect(creating.length > 0, what).toBe(text !== '');
  }
});

test('the policy for Secrets has a binding that denies', () => {
  const policy = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const binding = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
  expect(policy?.spec.failurePolicy).toBe('Fail');
  expect(binding?.spec).toEqual({ policyName: policy?.metadata.name, validationActions: ['Deny'] });
});
