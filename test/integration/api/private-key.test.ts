// The private key of a zone: only the feed for name servers has it.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

const service = await startTestService({ nameserver: false });
const zone = await service.zone('secret.example');
await service.record(zone, 'www', 'A', '192.0.2.1');

test('the private key is in no answer of the API, in no row of history and in no log line', async () => {
  const [row] = await service.sql`select csk_private as key from zones where id = ${zone.id}`;
  const secret = /PrivateKey: (\S+)/.exec(row?.key)?.[1] as string;
  expect(secret).toHaveLength(44);
  const history = await service.sql`select jsonb_agg(to_jsonb(c))::text as text from changes c`;
  const paths = [
    '/zones',
    ...['', '/ds', '/records', '/zonefile', '/changes'].map((path) => `/zones/${zone.id}${path}`),
  ];
  const answers = await Promise.all(paths.map((path) => service.request('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  for (const text of [history[0]?.text, ...answers.map((reply) => reply.text), service.log.join('')]) {
    expect(text).not.toContain(secret);
  }
});
