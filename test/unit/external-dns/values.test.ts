// The values for the chart of external-dns on the page: the webhook provider starts with them as they are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '#config.ts';
import { EXTERNAL_DNS_SETTINGS } from '#external-dns/settings.ts';

const page = readFileSync(new URL('../../../docs/how-to/external-dns.md', import.meta.url), 'utf8');
const chart = parse(readFileSync(new URL('../../../charts/zonestead/values.yaml', import.meta.url), 'utf8'));
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text));
const values = blocks.find(({ provider }) => provider !== undefined);
const trust = blocks.find(({ trusts }) => trusts !== undefined).trusts.list[0];

test('the provider gets all settings that it requires, and no others', () => {
  const { args, env } = values.provider.webhook as { args: string[]; env: { name: string; value: string }[] };
  expect(args).toEqual(['external-dns']);
  for (const { name } of env) expect(EXTERNAL_DNS_SETTINGS).toContain(name.replace(/_FILE$/, ''));
  const { ZONESTEAD_API_KEY_FILE: _, ...others } = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const environment = { ...others, ZONESTEAD_API_KEY: 'yk_0_0' };
  expect(readConfig(EXTERNAL_DNS_SETTINGS, environment)).toMatchObject({
    ...{ ZONESTEAD_EXTERNAL_DNS_OWNER_ID: 'prod', ZONESTEAD_EXTERNAL_DNS_SHARE: false },
    ...{ ZONESTEAD_EXTERNAL_DNS_ADOPT: false, ZONESTEAD_EXTERNAL_DNS_MASS_DELETION: false },
    // The container port and the probes of version 1.20 of that chart; its external-dns expects the webhook at
    // localhost:8888.
    ZONESTEAD_HEALTH_LISTEN: { host: '*', port: 8080 },
    ZONESTEAD_EXTERNAL_DNS_LISTEN: { host: '127.0.0.1', port: 8888 },
  });
});

test('external-dns needs no registry of its own', () => {
  expect(values).toMatchObject({ provider: { name: 'webhook' }, registry: 'noop', policy: 'sync' });
  expect(page).toContain('--policy=sync --registry=noop');
});

test('the file of the key is a token of ten minutes for the audience of the chart, which the trust accepts', () => {
  const { env, extraVolumeMounts } = values.provider.webhook as {
    env: { name: string; value: string }[];
    extraVolumeMounts: { name: string; mountPath: string }[];
  };
  const [mount] = extraVolumeMounts;
  const [volume] = values.extraVolumes;
  expect(volume.name).toBe(mount?.name);
  const [{ serviceAccountToken }] = volume.projected.sources;
  expect(serviceAccountToken).toEqual({
    audience: chart.trusts.ownCluster.audience,
    expirationSeconds: 600,
    path: 'token',
  });
  expect(env.find(({ name }) => name === 'ZONESTEAD_API_KEY_FILE')?.value).toBe(`${mount?.mountPath}/token`);
  // The release of external-dns gives its service account this name.
  const account = { namespace: 'external-dns', serviceaccount: { name: 'external-dns' } };
  expect(trust).toMatchObject({ match: { 'kubernetes.io': account }, records: 'write' });
});
