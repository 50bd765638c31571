// The pods of the rendered chart: probes, termination, leader election, and the Secrets that they can create.
import { beforeAll, describe, expect, it } from 'vitest';
import { one, type Rendered, render } from '../../support/chart.ts';
import { VALUE_SETS } from '../../support/chart-values.ts';

let objects: Rendered[];
beforeAll(async () => {
  objects = await render({});
});

const podOf = (name: string) => one(objects, 'Deployment', `zonestead-${name}`).spec.template.spec;
const containerOf = (name: string, container = name): Rendered =>
  podOf(name).containers.find((each: Rendered) => each.name === container);
const portNamed = (container: Rendered, name: string): number | undefined =>
  container.ports.find((port: { name: string }) => port.name === name)?.containerPort;

describe.each([
  ['api', 'api'],
  ['operator', 'operator'],
  ['solver', 'solver'],
  ['nameserver', 'companion'],
])('a pod of the %s', (name, container) => {
  it('is ready if the process reports that it works, and restarts if the process does not answer', () => {
    const { readinessProbe, livenessProbe, startupProbe, ...rest } = containerOf(name, container);
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

describe('a name server pod that terminates', () => {
  it('answers for 10 s more, until every node knows, and then has time to end', () => {
    for (const container of ['powerdns', 'companion']) {
      expect(containerOf('nameserver', container).lifecycle.preStop).toEqual({ sleep: { seconds: 10 } });
    }
    expect(podOf('nameserver').terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
  });

  it('ends after its replacement is ready, one pod at a time', () => {
    const { strategy } = one(objects, 'Deployment', 'zonestead-nameserver').spec;
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });
});

it('two operators share the Lease of their release, so one of them is active', () => {
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

describe('the policy for Secrets', () => {
  const expressions = (all: readonly Rendered[]) =>
    all
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
      .flatMap(({ spec }) => spec.validations.map(({ expression }: { expression: string }) => expression));

  it('names every account that can create Secrets, and the names that its Role lets it change', async () => {
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

  it('has a binding that denies', () => {
    const policy = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    const binding = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
    expect(policy?.spec.failurePolicy).toBe('Fail');
    expect(binding?.spec).toEqual({ policyName: policy?.metadata.name, validationActions: ['Deny'] });
  });
});
