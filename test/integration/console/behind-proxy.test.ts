// The console and keys with networks behind a real proxy that ends TLS. The proxy connects from 127.0.0.1, and clients
// come from other addresses of this machine.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';
import { startNginx } from './nginx.support.ts';

const CLIENT = '127.0.0.7';
const OTHER = '127.0.0.8';
const folder = await mkdtemp(join(tmpdir(), 'zonestead-proxied-'));
const { proxy: port } = await allocatePorts([{ name: 'proxy' }], { stateDir: folder });
const url = `https://localhost:${port}`;
const service = await startConsoleService(
  { nameserver: false, settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1' } },
  { ZONESTEAD_CONSOLE_URL: url },
);
const nginx = await startNginx({ port, upstream: service.url });
setDefaultCACertificates([...getCACertificates('default'), nginx.authority]);
afterAll(async () => {
  await nginx.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Sent {
  from: string;
  token: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** The status of one request over the proxy. */
function status({ from, token, path = '/v1/dns/zones', method = 'GET', headers = {} }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, {
      method,
      localAddress: from,
      family: 4,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    call.once('response', (answer) => resolve(answer.resume().statusCode ?? 0)).once('error', reject);
    call.end();
  });
}

describe('the console', async () => {
  const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });

  test('a person behind a proxy signs in with a cookie for HTTPS alone, sends a form, and signs out', async () => {
    const browser = visit({ url });
    await browser.get('/console/sign-in');
    const into = await browser.post('/console/sign-in', { key: ada.text, to: '/console/teams' }, { origin: url });
    expect([into.status, into.location]).toEqual([303, '/console/teams']);
    const [cookie = ''] = into.headers.getSetCookie();
    expect(cookie.split('; ')).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'SameSite=Lax']));
    expect(cookie).not.toMatch(/domain=/i);
    expect((await browser.get('/console/teams')).text).toContain('ada@example.org');
    expect((await browser.post('/console/teams', { name: 'behind a proxy' }, { origin: url })).status).toBe(303);
    expect((await browser.get('/console/teams')).text).toContain('behind a proxy');
    await browser.post('/console/sign-out', {}, { origin: url });
    expect((await browser.get('/console/teams')).location).toMatch(/sign-in/);
  });
});

describe('a key with networks', async () => {
  const { text: token } = await service.key({ networks: [`${CLIENT}/32`] });
  const { text: ownToken } = await service.key({ networks: ['127.0.0.1/32'] });

  test('a key with networks is valid from the address of the client, and from no other', async () => {
    expect(await status({ from: CLIENT, token })).toBe(200);
    expect(await status({ from: OTHER, token })).toBe(401);
    // A client does not have the address of the proxy.
    expect(await status({ from: OTHER, token: ownToken })).toBe(401);
  });

  test.each([
    ['X-Forwarded-For', CLIENT],
    ['X-Forwarded-For', `${CLIENT}, ${CLIENT}, 127.0.0.1`],
    ['Forwarded', `for=${CLIENT}`],
    ['Forwarded', `for=${CLIENT};proto=https;by=127.0.0.1`],
    ['X-Real-IP', CLIENT],
    ['True-Client-IP', CLIENT],
  ])(
    'a forged %s: %s does not make a key with networks valid for another client, or invalid for this one',
    async (name, value) => {
      expect(await status({ from: OTHER, token, headers: { [name]: value } })).toBe(401);
      expect(await status({ from: CLIENT, token, headers: { [name]: value.replaceAll(CLIENT, OTHER) } })).toBe(200);
    },
  );

  test.each(['Forwarded', 'X-Forwarded-For'])('a forged %s of no address does not lead to the proxy', async (name) => {
    for (const value of ['unknown', 'for=unknown', 'for="']) {
      expect(await status({ from: OTHER, token: ownToken, headers: { [name]: value } })).toBe(401);
    }
  });

  test('the log names the client', async () => {
    const zone = await service.zone();
    const headers = { 'x-request-id': 'behind-a-proxy', 'x-forwarded-for': OTHER };
    expect(await status({ from: CLIENT, token, path: `/v1/dns/zones/${zone.id}/park`, method: 'POST', headers })).toBe(
      200,
    );
    const line = () => service.log.find((each) => each.includes('"behind-a-proxy"') && each.includes('"msg":"write"'));
    await expect.poll(line, { timeout: 60_000 }).toContain(`"client":"${CLIENT}"`);
  });
});
