// The private key of a zone: only the feed for name servers has it.
import { createPrivateKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const zone = await service.zone('secret.example');
await service.record(zone, 'www', 'A', '192.0.2.1');

test('the private key is in no answer of the API, in no row of history and in no log line, in none of its forms', async () => {
  const [row] = await service.sql`select private_key as key from zone_keys where zone_id = ${zone.id}`;
  const { d = '' } = createPrivateKey(row?.key).export({ format: 'jwk' });
  const secret = Buffer.from(d, 'base64url').toString('base64');
  expect(secret).toHaveLength(44);
  const { text: nodeKey } = await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date());
  const headers = { authorization: `Bearer ${nodeKey}` };
  const feed = await (await fetch(`${service.url}/v1/feed/zones/${zone.id}`, { headers })).text();
  // In PEM, the octets of the key begin within a group of base64.
  const pem = /-----BEGIN PRIVATE KEY-----\\n([^-]+)\\n-----END/.exec(feed)?.[1]?.split('\\n')[0] as string;
  expect(pem.length).toBeGreaterThan(60);
  const hex = Buffer.from(secret, 'base64').toString('hex');
  const forms = [secret, pem, hex, Buffer.from(secret, 'base64').toString('base64url')];

  const history = await service.sql`select jsonb_agg(to_jsonb(c))::text as text from changes c`;
  const paths = [
    '/zones',
    ...['', '/ds', '/keys', '/records', '/zonefile', '/changes'].map((path) => `/zones/${zone.id}${path}`),
  ];
  const answers = await Promise.all(paths.map((path) => service.request('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  const texts = [history[0]?.text, JSON.stringify(zone), ...answers.map(({ text }) => text), service.log.join('')];
  for (const text of texts) {
    for (const form of forms) expect(text).not.toContain(form);
  }
});
