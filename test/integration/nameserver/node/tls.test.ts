// A real node that follows a real api over TLS: certificates and authorities change while it runs, and it always keeps
// answering. The feed without protection is refused.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { readConfig } from '#config.ts';
import type { OwnCertificate } from '#kube/certificates/own-certificate.ts';
import { composeNode } from '#nameserver/node/compose.ts';
import { NODE_SETTINGS } from '#nameserver/settings.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { openFeed } from '../../../support/feed/feed-reader.ts';
import { localCertificate, nextCertificate, servingFiles, untilServed } from '../../../support/http/serving-files.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const LIMIT = { timeout: 60_000 };
const folder = await temporaryFolder('node-tls');
const first = await localCertificate();
const [files, trusted] = await Promise.all([
  servingFiles(join(folder, 'api'), first),
  servingFiles(join(folder, 'node'), first),
]);
const [service, knot] = await Promise.all([
  startTestService({ nameserver: false, settings: files.settings, warnings: ['certificate has expired'] }),
  testKnot(),
]);
const key = await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date());
const lines: string[] = [];
const stop = new AbortController();
const node = composeNode(
  readConfig(NODE_SETTINGS, {
    ZONESTEAD_FEED_URL: service.tlsUrl(),
    ZONESTEAD_FEED_CA: trusted.ca,
    ZONESTEAD_NODE_KEY: key.text,
    ZONESTEAD_NODE_NAME: 'ns1',
    ZONESTEAD_NODE_STATE: join(folder, 'state'),
    ZONESTEAD_KNOT_FOLDER: knot.folder.root,
    ZONESTEAD_KNOT_LISTEN: knot.address,
    ZONESTEAD_KNOT_PORT: String(knot.port),
    ZONESTEAD_KEYMGR: inject('knot').keymgr,
  }),
  {
    log: createLogger({ name: 'nameserver', level: 'debug', destination: { write: (line) => void lines.push(line) } }),
    metrics: createMetrics({ processMetrics: false }),
  },
  stop.signal,
);
afterAll(async () => {
  stop.abort(new Error('the tests of the file are over'));
  await node.ended;
  await node.close();
});
const resolver = new Resolver({ timeout: 5_000, tries: 3 });
resolver.setServers([`127.0.0.1:${knot.port}`]);
const zone = await service.zone();

/** Creates a record, and waits until the name server has it. */
async function follows(name: string): Promise<void> {
  await service.record(zone, name, 'A', '192.0.2.1');
  const addresses = () => resolver.resolve4(`${name}.${zone.zoneName}`).catch(() => []);
  await expect.poll(addresses, LIMIT).toEqual(['192.0.2.1']);
}

/** Waits for a line of the log after the first `since` ones. */
const says = (text: string, since: number) =>
  expect.poll(() => lines.slice(since).some((line) => line.includes(text)), LIMIT).toBe(true);
const feeds = () => node.ready().checks?.feed;

const serves = (certificate: OwnCertificate) => untilServed(service.tlsUrl(), certificate);

test('a node follows over TLS, also while the certificate of the api is replaced', async () => {
  await follows('before');
  const since = lines.length;
  const second = await nextCertificate(first);
  await files.put(second);
  await serves(second);
  await follows('after');
  expect([feeds(), lines.slice(since).filter((line) => line.includes('is connected'))]).toEqual(['connected', []]);
});

test('a new authority needs no restart of the node, which says so while it does not trust it', async () => {
  const since = lines.length;
  const other = await localCertificate();
  await trusted.put(other);
  await says(
    'failed to report to the api: The api is unreachable: the certificate of the api is from an authority',
    since,
  );
  // The connection of the feed is still the former one.
  await follows('untrusted');
  await files.put(other);
  await serves(other);
  await says('the reports arrive at the api again', since);
  await follows('trusted');
});

test('with an expired certificate the node keeps answering, and says what to do', async () => {
  const since = lines.length;
  const expired = await localCertificate(100);
  await trusted.put(expired);
  await files.put(expired);
  await serves(expired);
  await says('the certificate of the api, or of its authority, has expired: renew it', since);
  await expect
    .poll(() => service.log.some((line) => line.includes('the serving certificate has expired')), LIMIT)
    .toBe(true);
  expect(await resolver.resolve4(`before.${zone.zoneName}`)).toEqual(['192.0.2.1']);
  expect(node.ready().ok).toBe(true);
  const next = await nextCertificate(expired);
  await files.put(next);
  await says('the reports arrive at the api again', since);
  await follows('renewed');
});

test('a file without authorities is named, and the feed continues', async () => {
  const since = lines.length;
  await rm(trusted.ca);
  await says('ZONESTEAD_FEED_CA cannot be read (ENOENT)', since);
  await writeFile(trusted.ca, 'not a certificate');
  await says('ZONESTEAD_FEED_CA has no certificate', since);
  await follows('unread');
});

test.each([
  ['from another machine', '', 403],
  ['over a proxy that is not trusted to say https', 'X-Forwarded-Proto: https\r\n', 403],
])('the feed without TLS %s is refused before its key is looked at', async (_, headers, status) => {
  const balanced = await service.anotherApi({
    settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1', ZONESTEAD_PROXY_PROTOCOL: 'on' },
  });
  // The api sees the client of the PROXY protocol at the other end of the connection.
  for (const token of [key.text, 'yn_wrong']) {
    const text = await plain(balanced.url, token, `PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n`, headers);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} .*use an https address`, 's'));
  }
});

test('a trusted proxy says how its client reached it', async () => {
  const proxied = await service.anotherApi({ settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1' } });
  const rfc7239 = await service.anotherApi({
    settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1', ZONESTEAD_PROXY_HEADER: 'Forwarded' },
  });
  const status = async (headers: string, { url } = proxied) =>
    Number(/^HTTP\/1.1 (\d+)/.exec(await plain(url, key.text, '', headers))?.[1]);
  const client = 'X-Forwarded-For: 203.0.113.7\r\n';
  expect(await status(`${client}X-Forwarded-Proto: https\r\n`)).toBe(200);
  expect(await status(`${client}X-Forwarded-Proto: http\r\n`)).toBe(403);
  expect(await status(client)).toBe(403);
  expect(await status('Forwarded: for=203.0.113.7;proto=https\r\n', rfc7239)).toBe(200);
  // The client wrote the header that the proxy does not write.
  expect(await status(`${client}Forwarded: for=127.0.0.1;proto=https\r\n`)).toBe(403);
  expect(await status(`Forwarded: for=203.0.113.7;proto=http\r\nX-Forwarded-Proto: https\r\n`, rfc7239)).toBe(403);
});

test('a setting allows the feed without TLS, and one machine needs none', async () => {
  const open = await service.anotherApi({
    settings: {
      ZONESTEAD_FEED_WITHOUT_TLS: 'allow',
      ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1',
      ZONESTEAD_PROXY_PROTOCOL: 'on',
    },
  });
  const text = await plain(open.url, key.text, 'PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n', '');
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  const local = await openFeed(service.url, key.text);
  expect(local.status).toBe(200);
  local.cut();
});

/** The answer to the route of the feed with the keys of secondaries. */
function plain(url: string, token: string, before: string, headers: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        text += chunk;
      });
    socket.once('close', () => resolve(text));
    socket.write(
      `${before}GET /v1/feed/transfers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n${headers}\r\n`,
    );
  });
}
