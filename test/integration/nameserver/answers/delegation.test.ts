// Delegations in DNS: referrals with glue, secure and insecure ones with their proofs.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns } = service;
describe('a delegation', async () => {
  const zone = await service.zone('cuts.example');
  const ds = `4711 13 2 ${'ab'.repeat(32)}`;
  for (const [name, type, content] of [
    ['insecure', 'NS', 'ns.example.net'],
    ['insecure', 'NS', 'ns.insecure.cuts.example'],
    ['ns.insecure', 'A', '192.0.2.53'],
    ['secure', 'NS', 'ns.example.net'],
    ['secure', 'DS', ds],
    ['a.b.far', 'NS', 'ns.example.net'],
    ['www', 'A', '192.0.2.1'],
  ] as const) {
    await service.record(zone, name, type, content);
  }

  test.each(['insecure', 'www.insecure', 'a.b.insecure'])(
    'a delegation is answered as a referral for %s, with glue',
    async (name) => {
      const { rcode, aa, answers, packet } = await dns.lookup(`${name}.cuts.example`, 'A');
      expect([rcode, aa, answers]).toEqual(['NOERROR', false, []]);
      expect(packet.authorities?.map(({ name: owner, type, data }) => `${owner} ${type} ${data}`).sort()).toEqual([
        'insecure.cuts.example NS ns.example.net',
        'insecure.cuts.example NS ns.insecure.cuts.example',
      ]);
      expect(packet.additionals).toContainEqual(
        expect.objectContaining({ name: 'ns.insecure.cuts.example', type: 'A', data: '192.0.2.53' }),
      );
    },
  );

  test('a delegation without DS is proven to be insecure, with signed NSEC in the referral (RFC 4035 section 3.1.4)', async () => {
    expect(await dns.delv('cuts.example', 'insecure.cuts.example', 'DS')).toMatchObject({
      state: 'secure',
      negative: 'nodata',
    });
    const { packet } = await dns.lookup('www.insecure.cuts.example', 'A', { dnssec: true });
    expect(packet.authorities?.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
      'insecure.cuts.example NS',
      'insecure.cuts.example NS',
      'insecure.cuts.example NSEC',
      'insecure.cuts.example RRSIG',
    ]);
  });

  test('a delegation answers with a referral for the DS of a hosted zone below it, because the DS belongs to its own servers', async () => {
    await service.zone('host.insecure.cuts.example');
    const asked = await dns.lookup('host.insecure.cuts.example', 'DS');
    expect([asked.rcode, asked.aa, asked.answers]).toEqual(['NOERROR', false, []]);
    expect(asked.packet.authorities?.map(({ name: owner, type }) => `${owner} ${type}`)).toEqual([
      'insecure.cuts.example NS',
      'insecure.cuts.example NS',
    ]);
    expect((await dns.lookup('host.insecure.cuts.example', 'SOA')).aa).toBe(true);
  });

  test('a delegation with DS is answered with the signed DS and an unsigned NS', async () => {
    expect((await dns.lookup('secure.cuts.example', 'DS')).answers).toEqual([`secure.cuts.example 3600 DS ${ds}`]);
    expect((await dns.delv('cuts.example', 'secure.cuts.example', 'DS')).state).toBe('secure');
    const { packet } = await dns.lookup('www.secure.cuts.example', 'A', { dnssec: true });
    const covered = packet.authorities?.flatMap(({ type, data }) =>
      type === 'RRSIG' ? [(data as { typeCovered: string }).typeCovered] : [],
    );
    expect(covered).toEqual(['DS']);
  });

  test('a delegation several labels deep leaves the names above it empty, with proof', async () => {
    for (const name of ['far', 'b.far']) {
      expect(await dns.delv('cuts.example', `${name}.cuts.example`, 'A')).toMatchObject({
        state: 'secure',
        negative: 'nodata',
      });
    }
    expect((await dns.lookup('x.a.b.far.cuts.example', 'A')).aa).toBe(false);
  });
});
