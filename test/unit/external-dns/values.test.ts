// The values for the chart of external-dns on the page: the webhook provider starts with them as they are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '#config.ts';
import { EXTERNAL_DNS_SETTINGS } from '#external-dns/settings.ts';

const page = readFileSync(new URL('../../../docs/how-to/external-dns.md', import.meta.url), 'utf8');
const values = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '');

test('the provider gets all settings that it requires, and no others', () => {
  const { args, env } = values.provider.webhook as { args: string[]; env: { name: string; value?: string }[] };
  expect(args).toEqual(['external-dns']);
  for (const { name } of env) expect(EXTERNAL_DNS_SETTINGS).toContain(name);
  const environment = Object.fromEntries(env.map(({ name, value = 'yk_0_0' }) => [name, value]));
  expect(readConfig(EXTERNAL_DNS_SETTINGS, environment)).toMatchObject({
    ...{ ZONESTEAD_EXTERNAL_DNS_OWNER_ID: 'prod', ZONESTEAD_EXTERNAL_DNS_SHARE: false },
    ...{ ZONESTEAD_EXTERNAL_DNS_ADOPT: false, ZONESTEAD_EXTERNAL_DNS_MASS_DELETION: false },
    // The container port and the probes of version 1.20 of that chart; its external-dns expects the webhook at localhost:8888.
    ZONESTEAD_HEALTH_LISTEN: { host: '0.0.0.0', port: 8080 },
    ZONESTEAD_EXTERNAL_DNS_LISTEN: { host: '127.0.0.1', port: 8888 },
  });
});

test('external-dns needs no registry of its own', () => {
  expect(values).toMatchObject({ provider: { name: 'webhook' }, registry: 'noop', policy: 'sync' });
  expect(page).toContain('--policy=sync --registry=noop');
});
