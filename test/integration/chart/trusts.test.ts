// The chart without API keys: the tokens that pods have in their place, the trusts of the values, and the way of the
// api to the keys of the cluster.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chartTrusts } from '#cli/jobs/trusts.ts';
import { one, type Rendered, render, type Values } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

let objects: Rendered[];
beforeAll(async () => {
  objects = await render({});
});

const deployed = (all: readonly Rendered[], name: string) =>
  one(all, 'Deployment', `zonestead-${name}`).spec.template.spec;
const testPod = (all: readonly Rendered[]) => one(all, 'Pod', 'zonestead-test').spec;
const keyOf = ({ volumes }: Rendered) => volumes.find(({ name }: { name: string }) => name === 'key');
const fileOf = ({ containers: [container] }: Rendered): string => {
  const { value } = container.env.find(({ name }: { name: string }) => name === 'ZONESTEAD_API_KEY_FILE');
  return value.replace(container.volumeMounts.find(({ name }: { name: string }) => name === 'key').mountPath, '');
};
/** The trusts of the bootstrap Job, as it reads them. */
const trustsOf = (all: readonly Rendered[]) => {
  const job = all.find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('zonestead-bootstrap-'));
  const args: string[] = job?.spec.template.spec.containers[0].args;
  const option = (name: string) => args.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
  return { of: option('trusts-of'), list: chartTrusts.parse(option('trusts')) };
};

const token = (audience: string) => ({
  name: 'key',
  projected: {
    defaultMode: 0o440,
    sources: [{ serviceAccountToken: { audience, expirationSeconds: 600, path: 'apiKey' } }],
  },
});

test('the operator and the test have a token of ten minutes for the audience of the values, and no Secret', async () => {
  const other = await render({ trusts: { ownCluster: { audience: 'dns.example.net' } } });
  for (const [all, audience] of [
    [objects, 'zonestead'],
    [other, 'dns.example.net'],
  ] as const) {
    for (const pod of [deployed(all, 'operator'), testPod(all)]) {
      expect(keyOf(pod)).toEqual(token(audience));
      expect(fileOf(pod)).toBe('/apiKey');
      // The trust names the account, so the test has the same.
      expect(pod.serviceAccountName).toBe('zonestead-operator');
    }
    // The test calls no API server.
    expect(testPod(all).automountServiceAccountToken).toBe(false);
  }
});

test('no pod mounts a Secret with an API key, and no account may make one, unless the values name a Secret', async () => {
  for (const [what, values] of Object.entries(VALUE_SETS)) {
    const all = await render(values);
    const given = ['operator', 'canary'].flatMap(
      (name) => (values[name] as { apiKey?: { existingSecret?: string } } | undefined)?.apiKey?.existingSecret ?? [],
    );
    expect(JSON.stringify(all).includes('operator-key'), what).toBe(false);
    const mounted = all
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Pod')
      .flatMap(({ spec }) => keyOf(spec.template?.spec ?? spec) ?? [])
      .flatMap(({ secret }: Rendered) => secret?.secretName ?? []);
    expect([...new Set(mounted)], what).toEqual(given);
  }
});

const operator = {
  name: 'operator',
  audience: 'zonestead',
  match: { 'kubernetes.io': { namespace: 'zonestead', serviceaccount: { name: 'zonestead-operator' } } },
  records: 'write',
  manageZones: 'write',
  clusters: 'write',
  zoneWrites: 60,
  recordWrites: 600,
};

test('the trusts of the bootstrap Job are the one of the operator by default, with exactly its service account', async () => {
  expect(trustsOf(objects)).toEqual({ of: 'zonestead/zonestead', list: [operator] });
  const named = await render({ operator: { serviceAccount: { name: 'dns' } }, namespaceOverride: 'elsewhere' });
  const account = { namespace: 'elsewhere', serviceaccount: { name: 'dns' } };
  expect(trustsOf(named)).toMatchObject({
    of: 'elsewhere/zonestead',
    list: [{ match: { 'kubernetes.io': account } }],
  });
});

test('the trust of the operator has the numbers of the values, and none if the service has no limits', async () => {
  const numbersOf = async (values: Values) => {
    const [{ zoneWrites, recordWrites } = {} as Rendered] = trustsOf(await render(values)).list;
    return [zoneWrites, recordWrites];
  };
  expect(await numbersOf({ operator: { limits: { records: 2_000_000 / 2, zones: 7 } } })).toEqual([7, 1_000_000]);
  expect(await numbersOf({ operator: { limits: { records: null } } })).toEqual([60, undefined]);
  // A number limits its key also where the service limits no other key.
  expect(await numbersOf({ api: { limits: false } })).toEqual([undefined, undefined]);
});

test('the trusts of the bootstrap Job contain those of the values: names for every namespace', async () => {
  const values = VALUE_SETS['names for every namespace'] as { trusts: { list: object[] } };
  const [namespaces] = values.trusts.list;
  expect(namespaces).toMatchObject({ match: { 'kubernetes.io': { namespace: '*' } }, records: 'write' });
  expect(trustsOf(await render(values)).list).toEqual([operator, { ...namespaces, audience: 'zonestead' }]);
});

test('the trusts of the bootstrap Job have the audience of the cluster only if they are for its tokens', async () => {
  const list = [
    { name: 'a', match: { sub: 'b' }, audience: 'own' },
    { name: 'c', match: { sub: 'd' }, issuer: 'https://issuer.example' },
  ];
  const [, a, c] = trustsOf(await render({ trusts: { list } })).list;
  expect([a, c]).toEqual(list);
});

test('the trusts of the bootstrap Job do not contain the operator if it has an API key, or is not there', async () => {
  const key = { operator: { apiKey: { existingSecret: 'key' } } };
  for (const values of [key, { operator: { enabled: false } }]) expect(trustsOf(await render(values)).list).toEqual([]);
});

test('the example pod has the image of the chart, and a token for its audience', async () => {
  const read = (path: string) => parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
  const { containers, volumes } = read('deploy/examples/own-names.yaml').spec;
  expect(containers[0].env.find(({ name }: { name: string }) => name === 'ZONESTEAD_URL').value).toMatch(/^https:/);
  expect(containers[0].image).toBe(deployed(objects, 'operator').containers[0].image);
  const [{ serviceAccountToken }] = volumes[0].projected.sources;
  expect(serviceAccountToken).toEqual({ audience: 'zonestead', expirationSeconds: 600, path: 'token' });
});

test('the api reads the keys of the tokens from kube-apiserver, and without the tokens it has no way there', async () => {
  const policy = { networkPolicy: { enabled: true } };
  const facts = async (values: Values) => {
    const all = await render({ ...policy, ...values });
    const { egress } = one(all, 'NetworkPolicy', 'zonestead-api').spec;
    const isOpen = JSON.stringify(egress).includes('{"ports":[{"port":443},{"port":6443}]}');
    return [deployed(all, 'api').automountServiceAccountToken, isOpen];
  };
  expect(await facts({})).toEqual([true, true]);
  expect(await facts(VALUE_SETS['no tokens of the cluster'] ?? {})).toEqual([false, false]);
});
