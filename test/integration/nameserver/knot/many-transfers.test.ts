// A secondary that opens many transfers of a large zone at once, and reads none to its end: knotd answers the others
// meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, inject, test } from 'vitest';
import { startSource } from '../../../support/knot/secondaries.ts';

const TRANSFERS = 30;
const NAMES = 200;
const secret = Buffer.alloc(32, 's').toString('base64');
const key = { name: 's.key.test', algorithm: 'hmac-sha256', secret } as const;
const source = await startSource();
const transfers: ChildProcess[] = [];
afterAll(() => {
  for (const transfer of transfers) transfer.kill('SIGKILL');
});

/** 9 MB with few signatures: more than the kernel buffers for one connection. */
async function addLarge(zone: string): Promise<void> {
  await source.add(zone, 100);
  const text = `"${'x'.repeat(250)}" `.repeat(60);
  await source.control.session(async ({ run }) => {
    await run('zone-begin', { zone });
    const set = (owner: string, data: string) => run('zone-set', { zone, owner, ttl: '60', type: 'TXT', data });
    for (let at = 0; at < NAMES; at++)
      await Promise.all(['a', 'b', 'c'].map((letter) => set(`t${at}`, `"${letter}" ${text}`)));
    await run('zone-commit', { zone });
  });
}

/** dig stops reading when its output is not read. */
async function openTransfer(zone: string): Promise<void> {
  const args = ['@127.0.0.1', '-p', String(source.port), '+time=30', '+tries=1', zone, 'AXFR'];
  const child = spawn(inject('tools').dig, [...args, '-y', `${key.algorithm}:${key.name}:${secret}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  transfers.push(child);
  await once(child.stdout, 'readable');
}

test('queries of others are answered, over UDP and TCP, while a secondary reads none of its many transfers', async () => {
  await addLarge('large.test');
  await source.add('other.test', 100);
  const addresses = [{ address: '127.0.0.1', port: 9 }];
  const secondary = { name: 's', addresses, key, zones: 'all', catalog: false, notify: false } as const;
  await source.configure({ role: 'source', zones: ['large.test', 'other.test'], secondaries: [secondary] });
  await Promise.race(Array.from({ length: TRANSFERS }, () => openTransfer('large.test')));
  const answer = { rcode: 'NOERROR', answers: ['www.other.test 60 A 192.0.2.1'] };
  for (let asked = 0; asked < 50; asked++) {
    expect(await source.resolver.lookup('www.other.test', 'A')).toMatchObject(answer);
    expect(await source.resolver.lookup('www.other.test', 'A', { tcp: true })).toMatchObject(answer);
  }
  // None has ended by itself.
  expect(transfers.map(({ exitCode }) => exitCode)).toEqual(transfers.map(() => null));
});
