// The canary of the chart: its zone and its right, its way to the service, and what may reach it.
import { beforeAll, expect, test } from 'vitest';
import { CANARY_SETTINGS } from '#canary/settings.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { readConfig } from '#config.ts';
import { one, type Rendered, render } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { letsIn, toTarget } from '../../support/chart/network-policies.ts';

let own: Rendered[];
let region: Rendered[];
beforeAll(async () => {
  [own, region] = (await Promise.all(
    ['a canary', 'a canary of another region'].map((name) => render(VALUE_SETS[name] ?? {})),
  )) as [Rendered[], Rendered[]];
});

const podOf = (all: Rendered[], name = 'zonestead-canary') => one(all, 'Deployment', name).spec.template.spec;
/** The environment as the process reads it, with a key in place of its file. */
const settingsOf = ({ containers: [{ env }] }: Rendered) => {
  const variables = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]));
  delete variables.ZONESTEAD_API_KEY_FILE;
  return readConfig(CANARY_SETTINGS, { ...variables, ZONESTEAD_API_KEY: 'key' });
};
const bootstrapOf = (all: Rendered[]) => {
  const job = all.find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('zonestead-bootstrap-'));
  const args: string[] = job?.spec.template.spec.containers[0].args ?? [];
  const option = (name: string) => args.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
  return { option, args };
};

test('the chart has no canary by default, and neither its zone nor its trust', async () => {
  const all = await render({});
  expect(all.filter(({ metadata }) => metadata.name.includes('canary'))).toEqual([]);
  expect(bootstrapOf(all).option('zone')).toBeUndefined();
  expect(bootstrapOf(all).option('trusts')).not.toContain('canary');
});

test('the bootstrap Job creates the zone of the canary, and a trust that may write its TXT records alone', () => {
  const { option } = bootstrapOf(own);
  expect(option('zone')).toBe('canary.example.net=canary');
  const given = {
    database: 'external',
    databaseName: 'a',
    urlSecret: 'a',
    urlKey: 'a',
    team: 'platform',
    rotation: '',
  };
  const parsed = bootstrapOptions({
    ...{ ...given, labels: '', timeout: '1', zone: [option('zone')], nameservers: option('nameservers') },
  });
  expect(parsed.zones).toEqual([
    { name: 'canary.example.net', team: 'canary', nameservers: option('nameservers')?.split(',') },
  ]);
  const trusts = JSON.parse(option('trusts') ?? '') as { name: string }[];
  expect(trusts.find(({ name }) => name === 'canary')).toEqual({
    ...{ name: 'canary', team: 'canary', audience: 'zonestead', records: 'write', zones: ['canary.example.net'] },
    ...{ onlyNames: ['zonestead*'], onlyTypes: ['TXT'] },
    match: { 'kubernetes.io': { namespace: 'zonestead', serviceaccount: { name: 'zonestead-canary' } } },
  });
  expect(one(own, 'ServiceAccount', 'zonestead-canary').automountServiceAccountToken).toBe(false);
});

test('the canary of a release has a token for its own service, and reads its settings', () => {
  const pod = podOf(own);
  expect(pod.serviceAccountName).toBe('zonestead-canary');
  expect(pod.automountServiceAccountToken).toBe(false);
  const { sources } = pod.volumes.find(({ name }: Rendered) => name === 'key').projected;
  expect(sources).toEqual([{ serviceAccountToken: { audience: 'zonestead', expirationSeconds: 600, path: 'apiKey' } }]);
  expect(settingsOf(pod)).toMatchObject({
    ...{ ZONESTEAD_URL: 'https://zonestead-api.zonestead.svc:443', ZONESTEAD_CANARY_NAME: 'zonestead' },
    ...{ ZONESTEAD_CANARY_ZONE: 'canary.example.net', ZONESTEAD_CANARY_CHANGE_SECONDS: 10 },
    ...{
      ZONESTEAD_CANARY_QUERY_SECONDS: 5,
      ZONESTEAD_CANARY_LIMIT_SECONDS: 30,
      ZONESTEAD_CANARY_CHALLENGE_MINUTES: 10,
    },
    ZONESTEAD_URL_CA: '/etc/zonestead/api-ca/ca.crt',
  });
  // Two canaries of one name would write over each other's record.
  const { replicas, strategy } = one(own, 'Deployment', 'zonestead-canary').spec;
  expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }]);
});

test('a canary of another region uses its key and its address, and no other part needs the api', () => {
  const pod = podOf(region);
  expect(settingsOf(pod)).toMatchObject({
    ...{ ZONESTEAD_URL: 'https://dns.example.net:8443', ZONESTEAD_CANARY_NAME: 'canary-eu' },
  });
  const volume = (name: string) => pod.volumes.find((each: Rendered) => each.name === name).secret;
  expect(volume('key')).toMatchObject({ secretName: 'canary-key', items: [{ key: 'token', path: 'apiKey' }] });
  expect(volume('api-ca')).toMatchObject({ secretName: 'zonestead-api-ca' });
  expect(region.filter(({ kind, metadata }) => kind === 'Job' && /bootstrap/.test(metadata.name))).toEqual([]);
  expect(JSON.stringify(one(region, 'NetworkPolicy', 'zonestead-canary').spec.egress)).toContain('{"port":8443}');
});

test('helm test measures once with the account and the settings of the canary', () => {
  const { spec } = one(own, 'Pod', 'zonestead-test-canary');
  expect(spec.containers[0].args).toEqual(['canary', '--once']);
  expect(spec.serviceAccountName).toBe('zonestead-canary');
  expect(settingsOf(spec)).toEqual(settingsOf(podOf(own)));
});

test('the canary reaches the api and the name servers, and only its metrics can be reached', () => {
  const target = (name: string, kind = 'Deployment') => toTarget(one(own, kind, `zonestead-${name}`));
  const labels = (component: string) => ({
    ...{ 'app.kubernetes.io/name': 'zonestead', 'app.kubernetes.io/instance': 'zonestead' },
    'app.kubernetes.io/component': component,
  });
  const namespace = { 'kubernetes.io/metadata.name': 'zonestead' };
  const source = { pod: labels('canary'), namespace };
  expect(letsIn(own, target('api'), { number: 8443 }, source, namespace)).toBe(true);
  const stranger = { pod: { app: 'x' }, namespace: { 'kubernetes.io/metadata.name': 'tenant' } };
  expect(letsIn(own, target('canary'), { number: 9090 }, stranger, namespace)).toBe(true);
  expect(letsIn(own, target('canary'), { number: 8080 }, stranger, namespace)).toBe(false);
  const { egress, podSelector } = one(own, 'NetworkPolicy', 'zonestead-canary').spec;
  expect(podSelector.matchLabels).toEqual(labels('canary'));
  const ports = egress.flatMap(({ ports: each }: Rendered) => each.map(({ port }: { port: number }) => port));
  expect([...new Set(ports)].sort()).toEqual([53, 5353, 8443]);
  expect(one(own, 'ServiceMonitor', 'zonestead-canary').spec.selector.matchLabels).toMatchObject(labels('canary'));
});
