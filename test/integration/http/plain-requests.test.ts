// The port without TLS next to one with TLS: keys from other machines do not work there. A connection from another
// address of this machine to its loopback address looks to the api like one from another machine.
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { outsideAddress } from '../../support/http/outside-address.ts';
import { localCertificate, servingFiles } from '../../support/http/serving-files.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const own = await localCertificate();
const files = await servingFiles(join(await temporaryFolder('plain-requests'), 'tls'), own);
const service = await startTestService({ nameserver: false, settings: files.settings });
const outside = outsideAddress();

/** The end of the head of each request. */
const end = 'Host: a\r\nConnection: close\r\n\r\n';
const REQUEST = `GET /v1/dns/zones HTTP/1.1\r\nAuthorization: Bearer ${service.admin.text}\r\n${end}`;

interface From {
  url?: string;
  localAddress?: string;
  before?: string;
  request?: string;
}

/** The whole answer, as text. */
async function ask({ url = service.url, localAddress = outside, before = '', request = REQUEST }: From) {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress });
  socket.write(before + request);
  return readText(socket);
}
const status = async (from: From) => Number(/^HTTP\/1.1 (\d+)/.exec(await ask(from))?.[1]);

test('a key that another machine sends without TLS does not work, and the answer says to replace it', async () => {
  const answer = await ask({});
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).toContain('"error":"forbidden"');
  expect(answer).toMatch(/use an address that begins with https:\/\/, and replace a key/);
});

test.each([
  ['the PowerDNS API', `GET /api/v1/servers/localhost/zones HTTP/1.1\r\nX-API-Key: ${service.admin.text}\r\n${end}`],
  ['acme-dns', `POST /acme/acme-dns/update HTTP/1.1\r\nX-Api-Key: ${service.admin.text}\r\n${end}`],
  ['the description of the API, which needs no key', `GET /v1/dns/openapi.json HTTP/1.1\r\n${end}`],
])('another machine gets no answer of %s without TLS', async (_, request) => {
  expect(await status({ request })).toBe(403);
  expect(await status({ request, localAddress: '127.0.0.1' })).not.toBe(403);
});

test('the same key works with TLS, and without it on one machine', async () => {
  const port = Number(new URL(service.tlsUrl()).port);
  const raw = connect({ host: '127.0.0.1', port, localAddress: outside });
  const socket = connectTls({ socket: raw, host: '127.0.0.1', ca: own.authorities });
  socket.write(REQUEST);
  expect(await readText(socket)).toMatch(/^HTTP\/1.1 200 /);
  expect(await status({ localAddress: '127.0.0.1' })).toBe(200);
});

test('a trusted proxy ends TLS before the api, also with the PROXY protocol', async () => {
  const proxied = await service.anotherApi({ settings: { ZONESTEAD_TRUSTED_PROXIES: outside } });
  expect(await status({ url: proxied.url })).toBe(200);
  const settings = { ZONESTEAD_TRUSTED_PROXIES: outside, ZONESTEAD_PROXY_PROTOCOL: 'on' };
  const { url } = await service.anotherApi({ settings });
  expect(await status({ url, before: 'PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n' })).toBe(200);
  // The same client is not a proxy that this api trusts.
  const other = await service.anotherApi({ settings: { ZONESTEAD_TRUSTED_PROXIES: '198.51.100.1' } });
  expect(await status({ url: other.url })).toBe(403);
});

test('an api that does not listen with TLS answers every machine, for a service mesh that encrypts', async () => {
  const plain = await startTestService({ nameserver: false });
  const request = REQUEST.replace(service.admin.text, plain.admin.text);
  expect(await status({ url: plain.url, request })).toBe(200);
});
