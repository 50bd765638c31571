// The network policies of the chart, with the rules of Kubernetes: the peers that can reach each port of each pod.
import { beforeAll, describe, expect, test } from 'vitest';
import { one, type Rendered, render } from '../../support/chart/chart.ts';
import { letsIn, type Source, toTarget } from '../../support/chart/network-policies.ts';

const OWN = { 'kubernetes.io/metadata.name': 'zonestead' };
const MONITORING = { 'kubernetes.io/metadata.name': 'monitoring' };
const component = (name: string): Source => ({
  pod: {
    'app.kubernetes.io/name': 'zonestead',
    'app.kubernetes.io/instance': 'zonestead',
    'app.kubernetes.io/component': name,
  },
  namespace: OWN,
});
const COMPONENTS = ['api', 'operator', 'solver', 'nameserver', 'bootstrap', 'uninstall', 'test', 'postgres'];
const NEIGHBOUR: Source = { pod: { app: 'neighbour' }, namespace: OWN };
const STRANGER: Source = { pod: { app: 'stranger' }, namespace: { 'kubernetes.io/metadata.name': 'tenant' } };
const PROMETHEUS: Source = { pod: { app: 'prometheus' }, namespace: MONITORING };
/** The pods of another release of the same chart. */
const OTHER_RELEASE: Source = {
  pod: { ...component('api').pod, 'app.kubernetes.io/instance': 'other' },
  namespace: OWN,
};

let objects: Rendered[];
beforeAll(async () => {
  objects = await render({ networkPolicy: { enabled: true } });
});

const pod = (from: readonly Rendered[], name: string) =>
  toTarget(one(from, ['postgres', 'nameserver'].includes(name) ? 'StatefulSet' : 'Deployment', `zonestead-${name}`));
const reaches = (source: Source, name: string, number: number, protocol: 'TCP' | 'UDP' = 'TCP', from = objects) =>
  letsIn(from, pod(from, name), { number, protocol }, source, OWN);

test('every pod of the release has a policy, which denies all other connections', () => {
  for (const name of ['api', 'operator', 'solver', 'nameserver', 'postgres']) {
    const { labels } = pod(objects, name);
    const selecting = objects.filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' &&
        Object.entries(spec.podSelector.matchLabels).every(([key, value]) => labels[key] === value),
    );
    expect(selecting.map(({ metadata }) => metadata.name)).toEqual([`zonestead-${name}`]);
    expect(selecting[0]?.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    for (const port of [22, 3000, 6379]) expect(reaches(STRANGER, name, port)).toBe(false);
  }
});

test('every port that a rule names is a port of its pods', () => {
  for (const name of ['api', 'operator', 'solver', 'nameserver', 'postgres']) {
    const { ingress } = one(objects, 'NetworkPolicy', `zonestead-${name}`).spec;
    const named = (ingress ?? []).flatMap(({ ports }: Rendered) => ports.map(({ port }: { port: string }) => port));
    const { ports } = pod(objects, name);
    expect(named.filter((port: string) => !ports.has(port))).toEqual([]);
  }
});

const WITH_HEALTH = ['api', 'operator', 'solver', 'nameserver'];

test('without networkPolicy.enabled, only the api and the bootstrap Job reach the built-in Postgres', async () => {
  const defaults = await render({});
  const names = defaults.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name);
  expect(names.sort()).toEqual([...WITH_HEALTH.map((name) => `zonestead-${name}-health`), 'zonestead-postgres'].sort());
  const into = (source: Source) => reaches(source, 'postgres', 5432, 'TCP', defaults);
  expect(COMPONENTS.filter((name) => into(component(name)))).toEqual(['api', 'bootstrap']);
  for (const source of [NEIGHBOUR, STRANGER, PROMETHEUS, OTHER_RELEASE]) expect(into(source)).toBe(false);
  expect(one(defaults, 'NetworkPolicy', 'zonestead-postgres').spec.policyTypes).toEqual(['Ingress']);
  const external = await render({ database: { mode: 'external', external: { existingSecret: 'postgres' } } });
  expect(external.filter(({ kind, metadata }) => kind === 'NetworkPolicy' && /postgres/.test(metadata.name))).toEqual(
    [],
  );
});

test('the built-in Postgres accepts the pods that need it and no others', () => {
  const within = COMPONENTS.filter((name) => reaches(component(name), 'postgres', 5432));
  expect(within).toEqual(['api', 'bootstrap']);
  for (const source of [NEIGHBOUR, STRANGER, PROMETHEUS, OTHER_RELEASE]) {
    expect(reaches(source, 'postgres', 5432)).toBe(false);
  }
});

test('the built-in Postgres rejects a pod of another namespace with the same labels', () => {
  const forged: Source = { ...component('api'), namespace: STRANGER.namespace };
  expect(reaches(forged, 'postgres', 5432)).toBe(false);
});

test.each([true, false])(
  'metrics and health are closed for pods without a scraper, and every other port is as it was (enabled: %s)',
  async (enabled) => {
    const closed = await render({ networkPolicy: { enabled } });
    for (const name of WITH_HEALTH) {
      for (const source of [STRANGER, NEIGHBOUR, PROMETHEUS, component('api')])
        expect(reaches(source, name, 9090, 'TCP', closed)).toBe(false);
    }
    for (const port of [1, 8080, 8443, 9089, 9091, 15_008, 65_535])
      expect(reaches(STRANGER, 'api', port, 'TCP', closed)).toBe(!enabled || port === 8443);
    expect(reaches(STRANGER, 'nameserver', 5353, 'UDP', closed)).toBe(true);
  },
);

test.each([true, false])(
  'metrics and health are open for all peers with a ServiceMonitor (enabled: %s)',
  async (enabled) => {
    const open = await render({ networkPolicy: { enabled }, monitoring: { serviceMonitor: { enabled: true } } });
    for (const name of WITH_HEALTH) expect(reaches(STRANGER, name, 9090, 'TCP', open)).toBe(true);
  },
);

test.each([true, false])(
  'metrics and health are open only for the peers in networkPolicy.metricsFrom (enabled: %s)',
  async (enabled) => {
    const metricsFrom = [{ namespaceSelector: { matchLabels: MONITORING } }];
    const monitoring = { serviceMonitor: { enabled: true } };
    const limited = await render({ networkPolicy: { enabled, metricsFrom }, monitoring });
    for (const name of WITH_HEALTH) {
      expect(reaches(PROMETHEUS, name, 9090, 'TCP', limited)).toBe(true);
      for (const source of [STRANGER, NEIGHBOUR, component('api')]) {
        expect(reaches(source, name, 9090, 'TCP', limited)).toBe(false);
      }
    }
    // The other ports are not affected.
    expect(reaches(STRANGER, 'nameserver', 5353, 'UDP', limited)).toBe(true);
    expect(reaches(PROMETHEUS, 'postgres', 5432, 'TCP', limited)).toBe(false);
  },
);

test('DNS over both protocols, REST and the solver are open for all peers', () => {
  expect(reaches(STRANGER, 'nameserver', 5353, 'UDP')).toBe(true);
  expect(reaches(STRANGER, 'nameserver', 5353)).toBe(true);
  expect(reaches(STRANGER, 'api', 8080)).toBe(false);
  expect(reaches(STRANGER, 'api', 8443)).toBe(true);
  expect(reaches(STRANGER, 'solver', 8443)).toBe(true);
  expect(reaches(STRANGER, 'operator', 8080)).toBe(false);
});

test('a name server reaches the api and no database', async () => {
  const egress = (from: readonly Rendered[]) => one(from, 'NetworkPolicy', 'zonestead-nameserver').spec.egress;
  const api = { podSelector: { matchLabels: component('api').pod } };
  expect(egress(objects)).toEqual([
    {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    },
    { ports: [{ port: 8443 }], to: [api] },
  ]);
  const plain = await render({ networkPolicy: { enabled: true }, api: { tls: { enabled: false } } });
  expect(egress(plain).at(-1)).toEqual({ ports: [{ port: 8080 }], to: [api] });
  const feed = { url: 'https://dns.example.net:8443' };
  const outside = await render({
    networkPolicy: { enabled: true },
    nameserver: { feed, nodeKey: { existingSecret: 'node-key' } },
  });
  expect(egress(outside).at(-1)).toEqual({ ports: [{ port: 8443 }] });
});

test('extraIngress of a component adds rules to that component alone', async () => {
  const extraIngress = [{ ports: [{ port: 5432 }], from: [{ namespaceSelector: { matchLabels: MONITORING } }] }];
  const more = await render({
    networkPolicy: { enabled: true },
    database: { builtin: { networkPolicy: { extraIngress } } },
  });
  expect(reaches(PROMETHEUS, 'postgres', 5432, 'TCP', more)).toBe(true);
  expect(reaches(STRANGER, 'postgres', 5432, 'TCP', more)).toBe(false);
});

describe('ports of edges', () => {
  let hidden: Rendered[];
  beforeAll(async () => {
    const secondaries = [{ name: 'eu', addresses: ['198.51.100.53:5300'], allZones: true }];
    hidden = await render({ networkPolicy: { enabled: true }, edge: { enabled: true, port: 5300 }, secondaries });
  });
  const edge = () => toTarget(one(hidden, 'StatefulSet', 'zonestead-edge'));

  test('ports of edges are open for all peers, and alone reach the name servers behind them', () => {
    expect(letsIn(hidden, edge(), { number: 5300, protocol: 'UDP' }, STRANGER, OWN)).toBe(true);
    for (const source of [STRANGER, NEIGHBOUR, OTHER_RELEASE, component('operator')]) {
      expect(reaches(source, 'nameserver', 5353, 'TCP', hidden)).toBe(false);
    }
    expect(reaches(component('edge'), 'nameserver', 5353, 'TCP', hidden)).toBe(true);
  });

  test.each([
    [true, {}, false, false],
    [false, {}, false, false],
    [true, { metricsFrom: [{ namespaceSelector: { matchLabels: MONITORING } }] }, true, false],
    [false, { metricsFrom: [{ namespaceSelector: { matchLabels: MONITORING } }] }, true, false],
  ])(
    'ports of edges for metrics are open for peers in metricsFrom alone (enabled: %s, %o)',
    async (enabled, more, prometheus, stranger) => {
      const values = { networkPolicy: { enabled, ...more }, edge: { enabled: true } };
      const all = await render(values);
      const target = toTarget(one(all, 'StatefulSet', 'zonestead-edge'));
      const into = (source: Source, number: number, protocol: 'TCP' | 'UDP' = 'TCP') =>
        letsIn(all, target, { number, protocol }, source, OWN);
      expect([into(PROMETHEUS, 9090), into(STRANGER, 9090)]).toEqual([prometheus, stranger]);
      expect([into(STRANGER, 5353, 'UDP'), into(STRANGER, 5353)]).toEqual([true, true]);
    },
  );

  test('ports of edges get NOTIFY from the name servers, and the questions of those that want to know whether they answer', () => {
    const to = { podSelector: { matchLabels: component('edge').pod } };
    const ports = ['UDP', 'TCP'].map((protocol) => ({ port: 5300, protocol }));
    for (const name of ['nameserver', 'operator', 'api']) {
      expect(one(hidden, 'NetworkPolicy', `zonestead-${name}`).spec.egress).toContainEqual({ ports, to: [to] });
    }
  });

  test('ports of edges let secondaries of the values reach the name servers', () => {
    const { ingress, egress } = one(hidden, 'NetworkPolicy', 'zonestead-nameserver').spec;
    expect(ingress[0].from).toContainEqual({ ipBlock: { cidr: '198.51.100.53/32' } });
    expect(egress).toContainEqual({ ports: ['UDP', 'TCP'].map((protocol) => ({ port: 5300, protocol })) });
  });
});

test('the policy of the api opens public addresses and the listed networks for health checks, at their ports', async () => {
  const checks = { networks: ['10.20.0.0/16', '2001:db8::1'], ports: ['443', '8000-8999'] };
  const rules = async (api: object) =>
    one(await render({ networkPolicy: { enabled: true }, api }), 'NetworkPolicy', 'zonestead-api').spec.egress.filter(
      ({ to }: Rendered) => JSON.stringify(to ?? '').includes('0.0.0.0/0'),
    );
  const [usual] = await rules({});
  expect(usual.ports).toEqual([{ port: 80 }, { port: 443 }, { port: 1024, endPort: 49_151 }]);
  expect(usual.to).toHaveLength(2);
  for (const each of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
    expect(usual.to[0].ipBlock.except).toContain(each);
  const [own] = await rules({ checks });
  expect(own.ports).toEqual([{ port: 443 }, { port: 8_000, endPort: 8_999 }]);
  expect(own.to.slice(2)).toEqual([{ ipBlock: { cidr: '10.20.0.0/16' } }, { ipBlock: { cidr: '2001:db8::1/128' } }]);
  const objects = await render({ api: { checks } });
  const env = (name: string) =>
    one(objects, 'Deployment', 'zonestead-api').spec.template.spec.containers[0].env.find(
      (each: Rendered) => each.name === name,
    )?.value;
  expect([env('ZONESTEAD_CHECK_NETWORKS'), env('ZONESTEAD_CHECK_PORTS')]).toEqual([
    '10.20.0.0/16,2001:db8::1',
    '443,8000-8999',
  ]);
});

test('name servers reach the addresses of health checks only if they probe, with the same lists as the api', async () => {
  const checks = { networks: ['10.20.0.0/16'], ports: ['443'] };
  const parts = async (nameserver: object) => {
    const objects = await render({ networkPolicy: { enabled: true }, api: { checks }, nameserver });
    const { egress } = one(objects, 'NetworkPolicy', 'zonestead-nameserver').spec;
    const { containers } = one(objects, 'StatefulSet', 'zonestead-nameserver').spec.template.spec;
    const { env } = containers.find(({ name }: Rendered) => name === 'nameserver');
    return {
      rules: egress.filter(({ to }: Rendered) => JSON.stringify(to ?? '').includes('0.0.0.0/0')),
      settings: env.filter(({ name }: Rendered) => /_(CHECK|NODE_PROBES)/.test(name)),
    };
  };
  expect(await parts({})).toEqual({ rules: [], settings: [] });
  const { rules, settings } = await parts({ probes: true });
  expect(rules).toMatchObject([{ ports: [{ port: 443 }] }]);
  expect(rules[0].to).toContainEqual({ ipBlock: { cidr: '10.20.0.0/16' } });
  expect(settings).toEqual([
    { name: 'ZONESTEAD_NODE_PROBES', value: 'on' },
    { name: 'ZONESTEAD_CHECK_NETWORKS', value: '10.20.0.0/16' },
    { name: 'ZONESTEAD_CHECK_PORTS', value: '443' },
  ]);
});
