// Values of Deployments and StatefulSets: replicas, disruption budgets, probes, updates and their history. The tests
// need no cluster.
import { expect, test } from 'vitest';
import { one, type Rendered, render, template, type Values } from '../../support/chart/chart.ts';

interface Workload {
  /** The path of its values, and of those of the container with the probes. */
  values: string;
  probes: string;
  kind: 'Deployment' | 'StatefulSet';
  name: string;
  container: string;
}

const workload = (values: string, kind: Workload['kind'], name = values, container = name, probes = values) => ({
  ...{ values, probes, kind, name: `zonestead-${name}`, container },
});
const WORKLOADS: readonly Workload[] = [
  workload('api', 'Deployment'),
  workload('operator', 'Deployment'),
  workload('solver', 'Deployment'),
  workload('canary', 'Deployment'),
  workload('nameserver', 'StatefulSet'),
  workload('nameserver', 'StatefulSet', 'nameserver', 'knot', 'nameserver.knot'),
  workload('edge', 'StatefulSet', 'edge', 'knot'),
  workload('database.builtin', 'StatefulSet', 'postgres'),
];

/** Values below a dotted path. */
const below = (path: string, values: Values): Values =>
  path.split('.').reduceRight<Values>((inner, key) => ({ [key]: inner }), values);
/** The parts that are off by default. */
const EDGES = { edge: { enabled: true }, canary: { enabled: true, zone: 'canary.example.net' } };
const withEdges = (values: Values): Values => ({
  ...values,
  edge: { ...EDGES.edge, ...(values.edge ?? {}) },
  canary: { ...EDGES.canary, ...(values.canary ?? {}) },
});
const containerOf = (object: Rendered, name: string): Rendered =>
  object.spec.template.spec.containers.find((each: Rendered) => each.name === name);
const budgetsOf = (objects: Rendered[]) => objects.filter(({ kind }) => kind === 'PodDisruptionBudget');

test('the chart creates a disruption budget only for more than one pod', async () => {
  const budgets = async (replicaCount: number) =>
    budgetsOf(await render({ api: { replicaCount } })).map(({ metadata }) => metadata.name);
  expect(await budgets(1)).not.toContain('zonestead-api');
  expect(await budgets(2)).toContain('zonestead-api');
});

test('the chart leaves the number of replicas to an autoscaler', async () => {
  const objects = await render({ api: { replicaCount: null, maxReplicas: 4 } });
  expect(one(objects, 'Deployment', 'zonestead-api').spec).not.toHaveProperty('replicas');
  expect(one(objects, 'PodDisruptionBudget', 'zonestead-api').spec.maxUnavailable).toBe(1);
});

test.each(WORKLOADS)(
  '$probes: a probe in the values keeps the other defaults of $name, and one handler',
  async (each) => {
    const [plain, changed] = await Promise.all([
      render(EDGES),
      render(
        withEdges(
          below(each.probes, { livenessProbe: { exec: { command: ['alive'] } }, readinessProbe: { periodSeconds: 7 } }),
        ),
      ),
    ]);
    const [before, after] = [plain, changed].map((objects) =>
      containerOf(one(objects, each.kind, each.name), each.container),
    );
    const { exec: _exec, httpGet: _httpGet, tcpSocket: _tcpSocket, ...times } = before?.livenessProbe ?? {};
    expect(Object.keys(times)).toContain('failureThreshold');
    expect(after?.livenessProbe).toEqual({ ...times, exec: { command: ['alive'] } });
    expect(after?.readinessProbe).toEqual({ ...before?.readinessProbe, periodSeconds: 7 });
    expect(after?.startupProbe).toEqual(before?.startupProbe);
  },
);

test.each(WORKLOADS)('$values: updates and their history can be chosen', async ({ values, kind, name }) => {
  const field = kind === 'Deployment' ? 'strategy' : 'updateStrategy';
  // Two canaries of one name would write over each other's record.
  const [byDefault, other] = values === 'canary' ? ['Recreate', 'RollingUpdate'] : ['RollingUpdate', 'Recreate'];
  const type = kind === 'Deployment' ? other : 'OnDelete';
  const plain = one(await render(EDGES), kind, name).spec;
  expect(plain[field].type).toBe(byDefault);
  expect(plain).not.toHaveProperty('revisionHistoryLimit');
  const { spec } = one(
    await render(withEdges(below(values, { [field]: { type }, revisionHistoryLimit: 0 }))),
    kind,
    name,
  );
  // A strategy without the fields of a rolling update: kube-apiserver refuses Recreate with them.
  expect(spec[field]).toEqual({ type });
  expect(spec.revisionHistoryLimit).toBe(0);
});

test.each(['replicas', 'pdb', 'updateStrategy'])('api.%s is not a value of the chart', async (name) => {
  const { ok, text } = await template({ api: { [name]: {} } });
  expect(ok).toBe(false);
  expect(text).toContain(`additional properties '${name}' not allowed`);
});

test('the sentence of api.readOnly reaches the api', async () => {
  const objects = await render({ api: { readOnly: 'The database moves until 14:00 UTC.' } });
  const { env, ports } = containerOf(one(objects, 'Deployment', 'zonestead-api'), 'api');
  expect(env).toContainEqual({ name: 'ZONESTEAD_READ_ONLY', value: 'The database moves until 14:00 UTC.' });
  expect(ports.map(({ name }: Rendered) => name)).toEqual(['https', 'health']);
});
