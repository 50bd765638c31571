// A pod without an API key writes a name of its namespace with a token that kubelet gives it, in an installation in
// which no Secret holds an API key.
import { expect, test } from 'vitest';
import type { TestCluster } from '../../support/kubelet/cluster.ts';

const ZONE = 'apps.example.net';
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const authorization = 'Bearer ' + readFileSync('/token/token', 'utf8').trim();
  const call = async (method, path, body) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch('https://zonestead-api.zonestead.svc/v1/dns' + path, { method, headers, body: body && JSON.stringify(body) });
    return [answer.status, await answer.json()];
  };
  const [, { zones: [zone] }] = await call('GET', '/zones?zoneName=${ZONE}');
  const write = async (name) => (await call('POST', '/zones/' + zone.id + '/records', { name, type: 'A', content: '192.0.2.90' }))[0];
  const names = ['www.shop', 'shop', 'www.market', 'market', '@', 'www.shop.market'];
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(names.map(async (name) => [name, await write(name)])))));`;

/** In the namespace shop, after the commands of docs/how-to/trusts-of-the-chart.md. */
export function writesOwnNames(theCluster: () => TestCluster): void {
  test("a pod made with kubectl run writes its own names over REST, and is refused its neighbour's", async () => {
    const { image, kubectl } = theCluster();
    const token = { serviceAccountToken: { audience: 'zonestead', expirationSeconds: 600, path: 'token' } };
    const spec = {
      automountServiceAccountToken: false,
      containers: [
        {
          ...{ name: 'writer', image, command: ['/usr/local/bin/node', '--input-type=module', '-e', PROGRAM] },
          env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' }],
          volumeMounts: [
            { name: 'token', mountPath: '/token', readOnly: true },
            { name: 'ca', mountPath: '/ca', readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'token', projected: { sources: [token] } },
        { name: 'ca', configMap: { name: 'zonestead-api-ca' } },
      ],
    };
    const overrides = `--overrides=${JSON.stringify({ spec })}`;
    await kubectl('-n', 'shop', 'run', 'writer', `--image=${image}`, '--restart=Never', overrides);
    await kubectl(
      ...['-n', 'shop', 'wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/writer', '--timeout=180s'],
    );
    expect(JSON.parse(await kubectl('-n', 'shop', 'logs', 'writer'))).toEqual({
      ...{ 'www.shop': 201, shop: 201 },
      ...{ 'www.market': 403, market: 403, '@': 403, 'www.shop.market': 403 },
    });
  });

  test('no Secret of the cluster holds an API key', async () => {
    const { items } = JSON.parse(await theCluster().kubectl('get', 'secrets', '--all-namespaces', '-o', 'json'));
    const secrets = items as { metadata: { namespace: string; name: string }; data?: Record<string, string> }[];
    const texts = secrets.flatMap(({ metadata, data = {} }) =>
      Object.values(data).map((text) => ({
        place: `${metadata.namespace}/${metadata.name}`,
        text: Buffer.from(text, 'base64').toString('latin1'),
      })),
    );
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(({ text }) => /\by[ku]_[0-9a-z]+_/.test(text)).map(({ place }) => place)).toEqual([]);
  });
}
