// One question and one answer over one socket, to a name server with an IPv6 address.
import { expect, test } from 'vitest';
import { parseRdata } from '#dns/types/index.ts';
import { rrsetServed } from '#nameserver/probe/probe.ts';
import { startNameServer } from '../../support/dns/fake-nameserver.ts';

test('a name server with an IPv6 address is asked over UDP and over TCP, and its wrong answer is noticed over both', async () => {
  const value = parseRdata('A', '192.0.2.1', null);
  if (!value.ok) throw new Error(value.problem.message);
  const www = { name: 'www.example.org', type: 'A' as const, rdatas: [value.value.wire] };
  const wrong = new Set<string>();
  const server = await startNameServer(
    ({ transport, packet }) => {
      const { name = '' } = packet.questions[0] ?? {};
      return { answers: [{ name, type: 'A', ttl: 60, data: wrong.has(transport) ? '192.0.2.66' : '192.0.2.1' }] };
    },
    { address: '::1' },
  );
  try {
    const options = { timeoutMs: 20_000, verifyTcp: true, signal: new AbortController().signal };
    const isProven = async () => (await rrsetServed(www, [server], options)).map(({ ok }) => ok);
    expect(await isProven()).toEqual([true]);
    expect(server.queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
    for (const transport of ['udp', 'tcp']) {
      wrong.clear();
      wrong.add(transport);
      expect(await isProven()).toEqual([false]);
    }
  } finally {
    await server.close();
  }
});
