// cert-manager without the solver: its built-in rfc2136 provider with the port of DNS updates, and a key that may do
// nothing but answer challenges. BIND gets the same updates.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { TsigKey } from '#dns/message/tsig.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { certificateObject, issue, namesIn } from '../../support/cert-manager/certificates.ts';
import { secretOf } from '../../support/doors/servers.ts';
import { parseDigRecords, transfer } from '../../support/knot/secondaries.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { untilIs, untilNone } from '../../support/time/until.ts';
import { namespaceObject } from './ground.ts';

/** A zone of both servers. */
export const UPDATED_ZONE = 'updated.example';
const NAMESPACE = 'updates';
/** Longer than the test takes. */
const HELD = '1h';

export interface BindForUpdates {
  port: number;
  key: TsigKey;
}

export function updatesByItself(theStack: () => TestStack, bind: BindForUpdates): void {
  describe.concurrent("cert-manager's built-in rfc2136 solver", () => {
    test("cert-manager's built-in rfc2136 solver gets a certificate for a zone and its wildcard, and leaves no record behind", async () => {
      const stack = theStack();
      await prepare(stack);
      await stack.apply(...(await issuerObjects(stack, 'updates', await ours(stack), '0s')));
      const names = [UPDATED_ZONE, `*.${UPDATED_ZONE}`];
      await issue(stack, certificateObject('updated', names, NAMESPACE, { kind: 'Issuer', name: 'updates' }));
      expect(await namesIn(stack, 'updated', NAMESPACE)).toEqual([`*.${UPDATED_ZONE}`, UPDATED_ZONE]);
      const left = () => stack.dig(`_acme-challenge.${UPDATED_ZONE}`, 'TXT');
      await untilNone('the values to be gone', left);
    });

    test("cert-manager's built-in rfc2136 solver adds and removes the same record at the service and at BIND", async () => {
      const stack = theStack();
      await prepare(stack);
      const servers = {
        bind: { at: bind, records: () => bindRecords(bind) },
        service: { at: await ours(stack), records: (name: string) => stack.dig(name, 'TXT') },
      };
      await Promise.all(Object.entries(servers).map(([name, server]) => holdsAndRemoves(stack, name, server)));
    });
  });
}

interface Server {
  at: BindForUpdates;
  /** The TXT records at a name, or of the whole zone. */
  records(name: string): Promise<string[]>;
}

/** A Challenge stays as it is until it is deleted, because cert-manager waits before it tells the authority. */
async function holdsAndRemoves(stack: TestStack, server: string, { at, records }: Server): Promise<void> {
  const namespace = `${NAMESPACE}-${server}`;
  const dnsName = `${server}.${UPDATED_ZONE}`;
  await stack.apply(namespaceObject(namespace), ...(await issuerObjects(stack, 'held', at, HELD, namespace)));
  await stack.apply(certificateObject('held', [dnsName], namespace, { kind: 'Issuer', name: 'held' }));
  const name = `_acme-challenge.${dnsName}`;
  const found = async () => (await records(name)).filter((line) => line.startsWith(`${name}. `));
  await untilIs(`${server} to have a record`, found, ({ length }) => length > 0);
  expect(await found()).toEqual([expect.stringMatching(/^\S+ (60 IN )?TXT "[\w-]{43}"$/)]);
  const kinds = 'certificate,certificaterequest,order,challenge';
  await stack.kubectl('-n', namespace, 'delete', kinds, '--all', '--wait=false');
  await untilNone(`the record at ${server} to be gone`, found);
}

async function bindRecords({ port }: BindForUpdates): Promise<string[]> {
  return parseDigRecords(await transfer(port, UPDATED_ZONE));
}

/** The objects are the same for both tests. */
async function prepare(stack: TestStack): Promise<void> {
  await stack.apply(namespaceObject(NAMESPACE), zoneObject('updated', UPDATED_ZONE));
  await stack.ready('zdz/updated');
}

async function ours(stack: TestStack): Promise<BindForUpdates> {
  const { databaseUrl, updates } = stack.stack.service;
  const rights = { records: 'write' as const, onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] };
  const wanted = { name: 'cert-manager', ...rights, tsig: 'hmac-sha256' as const };
  const { tsig } = await adminMintKey(databaseUrl, { team: 'first' }, wanted, randomBytes, new Date());
  if (tsig === null || updates === null) throw new Error('the stack takes no DNS updates');
  const { name, algorithm, secret } = tsig;
  return {
    port: Number(updates.split(':')[1]),
    key: { name, algorithm, secret: Buffer.from(secret, 'base64') },
  };
}

/** An Issuer with a solver of this server, and its Secret. */
async function issuerObjects(
  stack: TestStack,
  name: string,
  { port, key }: BindForUpdates,
  wait: string,
  namespace = NAMESPACE,
): Promise<object[]> {
  const { url: server, authorityFile } = stack.stack.issuance?.pebble ?? { url: '', authorityFile: '' };
  const caBundle = (await readFile(authorityFile)).toString('base64');
  const metadata = { name, namespace };
  const rfc2136 = {
    nameserver: `127.0.0.1:${port}`,
    tsigKeyName: key.name,
    tsigAlgorithm: 'HMACSHA256',
    tsigSecretSecretRef: { name, key: 'secret' },
  };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { secret: secretOf(key) } },
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata,
      spec: {
        acme: {
          ...{ server, caBundle, privateKeySecretRef: { name: `${name}-account` } },
          solvers: [{ waitInsteadOfSelfCheck: wait, dns01: { rfc2136 } }],
        },
      },
    },
  ];
}
