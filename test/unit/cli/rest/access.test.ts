// The access of a command over the REST API: the option, then the environment as a whole, then the current context.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeLogins } from '#cli/login/store.ts';
import { findAccess } from '#cli/rest/access.ts';
import { withHint } from '#cli/rest/session.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { readConfig } from '#config.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const CONTEXTS = {
  prod: { url: 'https://dns.example.net', key: 'yu_prod' },
  lab: { url: 'http://127.0.0.1:8080', key: 'yu_lab', caFile: '/lab/ca.pem' },
};
const NAMES = ['ZONESTEAD_URL', 'ZONESTEAD_URL_CA', 'ZONESTEAD_API_KEY'] as const;

beforeEach(async () => {
  vi.stubEnv('XDG_CONFIG_HOME', await temporaryFolder('access'));
  for (const name of [...NAMES, 'ZONESTEAD_API_KEY_FILE']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

async function save(current: string | null): Promise<void> {
  await writeLogins({ current, contexts: CONTEXTS });
}

const read = async (context?: string) => {
  const { environment } = await findAccess(context === undefined ? {} : { context });
  return readConfig(NAMES, environment);
};

test('the current context is used without settings, and another one by its name', async () => {
  await save('prod');
  expect(await read()).toMatchObject({ ZONESTEAD_URL: CONTEXTS.prod.url, ZONESTEAD_API_KEY: 'yu_prod' });
  expect(await read('lab')).toMatchObject({ ZONESTEAD_API_KEY: 'yu_lab', ZONESTEAD_URL_CA: '/lab/ca.pem' });
});

test('the environment counts as a whole: no key of a login goes to the address of a setting', async () => {
  await save('prod');
  vi.stubEnv('ZONESTEAD_URL', 'https://elsewhere.example.net');
  await expect(read()).rejects.toThrow('ZONESTEAD_API_KEY is missing');
  vi.stubEnv('ZONESTEAD_URL', undefined);
  vi.stubEnv('ZONESTEAD_API_KEY', 'yk_setting');
  await expect(read()).rejects.toThrow('ZONESTEAD_URL is missing');
});

test('a context that the command names takes nothing from the environment', async () => {
  await save(null);
  vi.stubEnv('ZONESTEAD_URL', 'https://elsewhere.example.net');
  vi.stubEnv('ZONESTEAD_URL_CA', join('/', 'elsewhere.pem'));
  vi.stubEnv('ZONESTEAD_API_KEY_FILE', '/run/key');
  const config = await read('prod');
  expect(config).toEqual({
    ZONESTEAD_URL: CONTEXTS.prod.url,
    ZONESTEAD_URL_CA: undefined,
    ZONESTEAD_API_KEY: 'yu_prod',
  });
});

test('without a login and without settings, the settings are missing, and a wrong context is named', async () => {
  await save(null);
  await expect(read()).rejects.toThrow('ZONESTEAD_URL is missing. ZONESTEAD_API_KEY is missing');
  await expect(read('other')).rejects.toThrow('there is no context "other"; your contexts are prod, lab.');
});

test('a login that has ended, and an address that does not answer, say what to do', () => {
  const refused = new ApiError({
    status: 401,
    code: 'unauthenticated',
    message: 'The API key is not valid.',
    retryAfterMs: null,
    requestId: null,
  });
  expect((withHint(refused, 'https://dns.example.net', 'prod') as Error).message).toBe(
    'The API key is not valid. (401 unauthenticated) The login of the context prod has ended: its key expired or was revoked. Log in again with "zonestead login https://dns.example.net --context prod".',
  );
  expect((withHint(refused, 'https://dns.example.net') as Error).message).toContain('ZONESTEAD_API_KEY is not valid');
  const away = new ApiUnavailable('connect ECONNREFUSED');
  expect((withHint(away, 'https://dns.example.net', 'prod') as Error).message).toContain(
    'The context prod has the address https://dns.example.net; "zonestead contexts list" lists others.',
  );
});
