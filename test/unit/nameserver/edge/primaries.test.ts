// The addresses of the nodes behind an edge.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { primaries, primariesNow } from '#nameserver/edge/primaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

const { signal } = new AbortController();
const hosts = [
  { host: 'node-0.dns.svc', port: 53 },
  { host: '192.0.2.9', port: 5353 },
];
const at = (address: string) => [
  { address, port: 53 },
  { address: '192.0.2.9', port: 5353 },
];

test('the addresses of the nodes are those of the names now, and the last ones if a name cannot be resolved', async () => {
  const folder = await temporaryFolder('primaries');
  const known: Record<string, string[]> = { 'node-0.dns.svc': ['2001:db8::1', '192.0.2.2', '192.0.2.1'] };
  const resolve = async (host: string) => {
    const found = known[host];
    if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
    return found;
  };
  const now = () => primariesNow({ hosts, folder, resolve, signal });
  expect(await now()).toEqual(at('192.0.2.1'));
  known['node-0.dns.svc'] = ['192.0.2.7'];
  expect(await now()).toEqual(at('192.0.2.7'));
  delete known['node-0.dns.svc'];
  expect(await now()).toEqual(at('192.0.2.7'));
});

test('the addresses of the nodes are waited for if a name was never resolved, also with damaged notes', async () => {
  const folder = await temporaryFolder('primaries');
  await writeFile(join(folder, 'primaries.json'), '{"node-0.dns.svc":');
  let answers: string[] = [];
  const lines: string[] = [];
  const clock = new FakeClock();
  const options = { hosts, folder, resolve: async () => answers, signal };
  const found = primaries(options, (line) => lines.push(line), clock);
  await expect.poll(() => lines).toEqual(['waiting for the addresses of node-0.dns.svc, 192.0.2.9']);
  answers = ['192.0.2.3'];
  await expect.poll(() => clock.timers()).toEqual([1_000]);
  await clock.advance(1_000);
  expect(await found).toEqual(at('192.0.2.3'));
});
