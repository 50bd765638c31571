// Clients of the api over TLS while its certificates are renewed as the chart renews them, and with certificates that
// are wrong.
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Client, createClient } from '#client/client.ts';
import { createRecord, listRecords } from '#contract/operations/records.ts';
import { type OwnCertificate, renewed } from '#kube/certificates/own-certificate.ts';
import { localCertificate, nextCertificate, servingFiles, untilServed } from '../../support/http/serving-files.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { untilIs } from '../../support/time/until.ts';

const DAY_MS = 86_400_000;
const hosts = ['localhost', '127.0.0.1'];
const LOOPS = 4;
const folder = await temporaryFolder('client-certificates');
const first = await localCertificate();
const server = await servingFiles(join(folder, 'api'), first);
const client = await servingFiles(join(folder, 'client'), first);
const service = await startTestService({
  nameserver: false,
  settings: server.settings,
  warnings: ['certificate has expired', 'not valid yet'],
});
const zone = await service.zone();
const clients = new Set<Client>();
afterAll(() => Promise.all([...clients].map((each) => each.close())));

function newClient(baseUrl = service.tlsUrl()): Client {
  const made = createClient({ baseUrl, key: service.admin.text, caFile: client.ca, connections: 64 });
  clients.add(made);
  return made;
}

const serves = (certificate: OwnCertificate) => untilServed(service.tlsUrl(), certificate);

interface Load {
  /** The number of answers. @throws the first error of a request, so that nothing waits for more */
  answers(): number;
  /** The lasting clients send one more request at the same time from now on, which needs a new connection. */
  widen(): void;
}

/**
 * Reads and writes while `work` runs. Half of the clients are new ones for each request, and the others last.
 * @returns the number of answers, and the errors
 */
async function underLoad(work: (load: Load) => Promise<void>): Promise<{ answers: number; errors: string[] }> {
  let answers = 0;
  let width = 1;
  let isRunning = true;
  const errors: string[] = [];
  const params = { id: zone.id };
  const send = ({ call }: Client) => {
    const body = { name: `n${answers}`, type: 'A' as const, content: `192.0.2.${width}` };
    const isWrite = answers % 10 === 0;
    answers += 1;
    const request = isWrite ? call(createRecord, { params, body }) : call(listRecords, { params, query: { limit: 1 } });
    return request.catch((error) => errors.push(String(error)));
  };
  const loops = Array.from({ length: LOOPS }, async (_, loop) => {
    const lasting = newClient();
    while (isRunning && errors.length === 0) {
      if (loop % 2 === 0) await Promise.all(Array.from({ length: width }, () => send(lasting)));
      else {
        const single = newClient();
        await send(single);
        await single.close();
        clients.delete(single);
      }
    }
  });
  try {
    await work({
      answers: () => {
        if (errors.length > 0) throw new Error(errors[0]);
        return answers;
      },
      widen: () => {
        width += 1;
      },
    });
  } finally {
    isRunning = false;
    await Promise.all(loops);
  }
  return { answers, errors };
}

test('no request fails while the certificate and its authority are renewed as in the chart, even if server and clients read the files at other times', async () => {
  // The authority is so old that it is replaced, and its certificate is still valid.
  const now = new Date();
  const old = await renewed(undefined, { hosts, now: new Date(now.getTime() - 3_625 * DAY_MS) });
  const before = await renewed(old, { hosts, now: new Date(now.getTime() - 10 * DAY_MS) });
  const announced = await renewed(before, { hosts, now, announceMs: DAY_MS });
  const signed = await renewed(announced, { hosts, now, announceMs: 0 });
  const next = await nextCertificate(signed);
  expect(new Set([before, announced, signed, next].map(({ certificate }) => certificate)).size).toBe(4);
  expect(signed.authorities).not.toBe(announced.authorities);
  const put = async (side: typeof server, step: OwnCertificate) => {
    await side.put(step);
    if (side === server) await serves(step);
  };
  await client.put(before);
  await put(server, before);
  const result = await underLoad(async ({ answers, widen }) => {
    const more = async () => {
      widen();
      const since = answers();
      await untilIs('answers', answers, (count) => count > since + 6 * LOOPS);
    };
    await more();
    for (const isServerFirst of [true, false]) {
      // Every bundle has the authority of the first certificate, so this step back is one more renewal.
      await put(server, before);
      await put(client, before);
      await more();
      for (const step of [announced, signed, next]) {
        for (const side of isServerFirst ? [server, client] : [client, server]) {
          await put(side, step);
          await more();
        }
      }
    }
  });
  expect(result.errors).toEqual([]);
  process.stdout.write(`${result.answers} requests during 8 renewals, none failed\n`);
});

test.each([
  [
    'has expired',
    () => localCertificate(100),
    /^The API is unreachable: the certificate of the api, or of its authority, has expired: renew it; .*clock of this machine is ahead/,
  ],
  [
    'is not valid yet',
    () => localCertificate(-1),
    /the certificate of the api is not valid yet: compare the clock of this machine/,
  ],
  [
    'is for other names',
    () => renewed(undefined, { hosts: ['api.example'], now: new Date() }),
    /the certificate of the api is for DNS:api\.example \(.*127\.0\.0\.1.*\): use one of them in ZONESTEAD_URL/,
  ],
])('a client says what to do if the certificate %s', async (_what, make, sentence) => {
  const wrong = await make();
  await client.put(wrong);
  await server.put(wrong);
  await serves(wrong);
  await expect(newClient().call(listRecords, { params: { id: zone.id }, query: {} })).rejects.toThrow(sentence);
});

test('a client says what to do if it does not trust the authority, or if the address is not that of TLS', async () => {
  await server.put(first);
  await serves(first);
  await client.put(await localCertificate());
  const list = (url?: string) => newClient(url).call(listRecords, { params: { id: zone.id }, query: {} });
  await expect(list()).rejects.toThrow(/authority that this process does not trust .*: set ZONESTEAD_URL_CA to a file/);
  await client.put(first);
  expect(await list()).toHaveProperty('records');
  await expect(list(service.url.replace('http:', 'https:'))).rejects.toThrow(
    'the api does not speak TLS at this port: set ZONESTEAD_URL to its address for TLS',
  );
});
