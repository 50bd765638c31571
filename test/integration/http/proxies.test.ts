// Networks of keys behind proxies. The key is valid from one address only. Each test tries to appear there, from the
// trusted proxy (127.0.0.1 here) or from another address (127.0.0.2).
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startApiProcess } from '../../support/service/api-process.ts';
import { startTestService } from '../../support/service/service.ts';

const CLIENT = '203.0.113.7';
const service = await startTestService({
  nameserver: false,
  settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,::1' },
});
const rfc7239 = await service.anotherApi({ settings: { ZONESTEAD_PROXY_HEADER: 'Forwarded' } });
const direct = await service.anotherApi({ settings: { ZONESTEAD_TRUSTED_PROXIES: '' } });
const balanced = await service.anotherApi({ settings: { ZONESTEAD_PROXY_PROTOCOL: 'on' } });
const key = await service.key({ networks: [`${CLIENT}/32`] });
const key6 = await service.key({ networks: ['2001:db8:7::/48'] });
const local = await service.key({ networks: ['127.0.0.0/8'] });

/** A protocol with an authentication of its own. */
interface Door {
  /** The first line of a request, and the header with the key. */
  head: (token: string) => string;
  /** The status of the answer to a valid key. */
  good: number;
}

const basic = (text: string) => `Authorization: Basic ${Buffer.from(`router:${text}`).toString('base64')}`;
const JSON_BODY = 'Content-Type: application/json\r\nContent-Length: 2';
const REST: Door = {
  head: (token) => `GET /v1/dns/zones HTTP/1.1\r\nAuthorization: Bearer ${token}`,
  good: 200,
};
const DOORS: Readonly<Record<string, Door>> = {
  'the REST API': REST,
  'the PowerDNS API': {
    head: (token) => `GET /api/v1/servers/localhost/zones HTTP/1.1\r\nX-API-Key: ${token}`,
    good: 200,
  },
  dyndns2: {
    head: (token) => `GET /nic/update?hostname=none.example&myip=192.0.2.1 HTTP/1.1\r\n${basic(token)}`,
    good: 200,
  },
  // The empty object in the body is refused after the key.
  httpreq: {
    head: (token) => `POST /acme/httpreq/present HTTP/1.1\r\n${JSON_BODY}\r\n${basic(token)}`,
    good: 400,
  },
  'acme-dns': {
    head: (token) =>
      `POST /acme/acme-dns/update HTTP/1.1\r\n${JSON_BODY}\r\nX-Api-User: ${token.split('_')[1]}\r\nX-Api-Key: ${token}`,
    good: 400,
  },
};

interface Sent {
  door?: Door;
  url?: string;
  headers?: string;
  /** Octets before the request, in packets of their own. */
  before?: readonly (string | Buffer)[];
  from?: string;
  token?: string;
}

/** The status of one request, 200 if the key was accepted. 0: the connection was closed without an answer. */
async function send({
  door = REST,
  url = service.url,
  headers = '',
  before = [],
  from = '127.0.0.1',
  token = key.text,
}: Sent) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from, noDelay: true });
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      text += chunk;
    });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const octets of before) {
    socket.write(octets);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const body = door.head(token).startsWith('POST') ? '{}' : '';
  socket.write(`${door.head(token)}\r\nHost: a\r\nConnection: close\r\n${headers}\r\n${body}`);
  await closed;
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0);
  return status === door.good ? 200 : status;
}

describe.each(Object.entries(DOORS))('headers, with %s,', (title, door) => {
  const get = (sent: Sent) => send({ ...sent, door });

  test(`with ${title}, headers name the client if they come from a trusted proxy`, async () => {
    expect(await get({ headers: `X-Forwarded-For: ${CLIENT}\r\n` })).toBe(200);
    expect(await get({ url: rfc7239.url, headers: `Forwarded: for="${CLIENT}:4711";proto=https\r\n` })).toBe(200);
    expect(await get({ headers: 'X-Forwarded-For: 2001:db8:7::1\r\n', token: key6.text })).toBe(200);
    const forwarded6 = 'Forwarded: for="[2001:db8:7::1]"\r\n';
    expect(await get({ url: rfc7239.url, headers: forwarded6, token: key6.text })).toBe(200);
    expect(await get({ headers: `X-Forwarded-For: ${CLIENT}, 10.1.1.1\r\n` })).toBe(200);
  });

  test(`with ${title}, the proxy without headers is the client`, async () => {
    expect(await get({})).toBe(401);
    expect(await get({ token: local.text })).toBe(200);
    // A client that comes through the proxy does not have the proxy's address.
    expect(await get({ headers: 'X-Forwarded-For: 198.51.100.1\r\n', token: local.text })).toBe(401);
  });

  test.each([
    ['written by the client before the proxy', `X-Forwarded-For: ${CLIENT}, 198.51.100.1\r\n`],
    ['in a first header of two', `X-Forwarded-For: ${CLIENT}\r\nX-Forwarded-For: 198.51.100.1\r\n`],
    ['in Forwarded, which the proxy passes on', `X-Forwarded-For: 198.51.100.1\r\nForwarded: for=${CLIENT}\r\n`],
    ['in Forwarded alone', `Forwarded: for=${CLIENT}\r\n`],
    ['behind an unknown hop', `X-Forwarded-For: ${CLIENT}, unknown\r\n`],
    [
      'in other headers',
      `X-Real-IP: ${CLIENT}\r\nClient-IP: ${CLIENT}\r\nTrue-Client-IP: ${CLIENT}\r\nVia: ${CLIENT}\r\n`,
    ],
  ])(`with ${title}, the address in headers is ignored: %s`, async (_, headers) => {
    expect(await get({ headers })).toBe(401);
  });

  test.each([
    ['beside Forwarded', `X-Forwarded-For: ${CLIENT}\r\nForwarded: for=198.51.100.1\r\n`],
    ['alone in X-Forwarded-For', `X-Forwarded-For: ${CLIENT}\r\n`],
    ['behind an obfuscated hop', `Forwarded: for=${CLIENT}, for=_proxy\r\n`],
    ['within quotation marks of another parameter', `Forwarded: for=198.51.100.1;host="x, for=${CLIENT}"\r\n`],
  ])(
    `with ${title} and ZONESTEAD_PROXY_HEADER=Forwarded, the address in headers is ignored: %s`,
    async (_, headers) => {
      expect(await get({ url: rfc7239.url, headers })).toBe(401);
    },
  );

  test.each([`X-Forwarded-For: ${CLIENT}\r\n`, `Forwarded: for=${CLIENT}\r\n`])(
    `with ${title}, headers are ignored if they come from another address: %j`,
    async (headers) => {
      expect(await get({ headers, from: '127.0.0.2' })).toBe(401);
      // They do not take the client's own address away either.
      expect(await get({ headers, from: '127.0.0.2', token: local.text })).toBe(200);
    },
  );

  test(`with ${title}, headers are ignored if no proxy is trusted`, async () => {
    expect(await get({ url: direct.url, headers: `X-Forwarded-For: ${CLIENT}\r\nForwarded: for=${CLIENT}\r\n` })).toBe(
      401,
    );
    expect(await get({ url: direct.url, headers: `X-Forwarded-For: ${CLIENT}\r\n`, token: local.text })).toBe(200);
  });
});

test('the log of a write contains the address of the client', async () => {
  const zone = await service.zone();
  const answer = await fetch(`${service.url}/v1/dns/zones/${zone.id}/park`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.text}`, 'x-forwarded-for': CLIENT, 'x-request-id': 'of-a-client' },
  });
  expect(answer.status).toBe(200);
  const line = () => service.log.find((each) => each.includes('"of-a-client"') && each.includes('"msg":"write"'));
  await expect.poll(line).toContain(`"client":"${CLIENT}"`);
});

const V1 = `PROXY TCP4 ${CLIENT} 192.0.2.1 4711 443\r\n`;
const V2 = Buffer.from('0d0a0d0a000d0a515549540a2111000ccb007107c0000201126701bb', 'hex');

const url = balanced.url;

test.each(Object.entries(DOORS))('the PROXY protocol names the client of %s', async (_, door) => {
  expect(await send({ url, door, before: [V1] })).toBe(200);
  expect(await send({ url, door, before: [V1], token: local.text })).toBe(401);
});

test.each([
  ['version 1', [V1]],
  ['version 2', [V2]],
  ['version 1 octet by octet', V1.split('')],
  ['version 2 octet by octet', [...V2].map((octet) => Buffer.from([octet]))],
])('%s of the PROXY protocol of a trusted proxy names the client', async (_, before) => {
  expect(await send({ url, before })).toBe(200);
  expect(await send({ url, before, token: local.text })).toBe(401);
});

test('a request in one packet with the PROXY protocol is served', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const body = JSON.stringify({ zoneName: 'packet.example', owner: `org:${key.team}` });
  const head = `POST /v1/dns/zones HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const request = `${head}Authorization: Bearer ${key.text}\r\n\r\n${body}`;
  socket.write(Buffer.concat([V2, Buffer.from(request)]));
  await expect.poll(() => text).toMatch(/^HTTP\/1.1 200 /);
  // The connection continues like any other, without another header.
  socket.write(`GET /v1/dns/zones HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key.text}\r\n\r\n`);
  await expect.poll(() => text.split('HTTP/1.1 200 ').length).toBe(3);
  socket.destroy();
});

test('if the PROXY protocol names another trusted proxy, the header of that proxy is used', async () => {
  const before = ['PROXY TCP4 10.0.0.5 192.0.2.1 4711 443\r\n'];
  expect(await send({ url, before, headers: `X-Forwarded-For: ${CLIENT}\r\n` })).toBe(200);
});

test('headers of a client that the PROXY protocol names are ignored', async () => {
  const before = ['PROXY TCP4 198.51.100.1 192.0.2.1 4711 443\r\n'];
  expect(await send({ url, before, headers: `X-Forwarded-For: ${CLIENT}\r\nForwarded: for=${CLIENT}\r\n` })).toBe(401);
  // A second header is not read, and is not HTTP.
  expect(await send({ url, before: [...before, V1] })).toBe(400);
});

test.each([
  ['no header', []],
  ['a broken one', ['PROXY TCP4 nonsense\r\n']],
  ['an oversized one', [`PROXY TCP4 ${'9'.repeat(5_000)}`]],
  [
    'an oversized one of version 2',
    [Buffer.concat([V2.subarray(0, 14), Buffer.from([0xff, 0xff]), Buffer.alloc(5_000)])],
  ],
])('a trusted proxy with %s is cut off', async (_, before) => {
  expect(await send({ url, before, token: local.text })).toBe(0);
});

test('other clients are served without a header; with one, they get an answer that it is not HTTP', async () => {
  expect(await send({ url, from: '127.0.0.2', token: local.text })).toBe(200);
  expect(await send({ url, from: '127.0.0.2', before: [V1] })).toBe(400);
  expect(await send({ url, from: '127.0.0.2', before: [V2] })).toBe(400);
});

test('the PROXY protocol is not accepted if it is off', async () => {
  expect(await send({ before: [V1] })).toBe(400);
});

test('the PROXY protocol that is on without a trusted proxy is an error of the settings, and the process does not start', async () => {
  const settings = { ZONESTEAD_PROXY_PROTOCOL: 'on', ZONESTEAD_TRUSTED_PROXIES: '' };
  await expect(service.anotherApi({ settings })).rejects.toThrow(/ZONESTEAD_TRUSTED_PROXIES names no proxy/);
  await expect(startApiProcess(service, { ZONESTEAD_PROXY_PROTOCOL: 'on' })).rejects.toThrow(
    /ZONESTEAD_TRUSTED_PROXIES names no proxy/,
  );
});

describe('in a process', async () => {
  const api = await startApiProcess(service, {
    ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1',
    ZONESTEAD_PROXY_PROTOCOL: 'on',
    ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS: '1',
  });

  test('in a process, both settings work, and the limit of connections counts clients, not the proxy', async () => {
    expect(await send({ url: api.url, before: [V2] })).toBe(200);
    const hold = (source: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
        socket.on('error', () => undefined);
        socket.once('data', () => resolve(true));
        socket.once('close', () => resolve(false));
        socket.write(`PROXY TCP4 ${source} 192.0.2.1 1 2\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n`);
      });
    expect([await hold('203.0.113.1'), await hold('203.0.113.2'), await hold('203.0.113.1')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await api.metric('api_connections_refused_total')).toBe(1);
  });
});
