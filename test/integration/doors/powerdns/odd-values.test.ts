// Values of a kind that no client of the PowerDNS API sends: a sentence says what is wrong, and never a fault of the
// service.
import { expect, test } from 'vitest';
import { powerDnsClient } from '../../../support/doors/powerdns/client.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);

test('values of another kind than a client of PowerDNS sends are refused with a sentence', async () => {
  const { zoneName } = await service.zone();
  const zone = `${zoneName}.`;
  const odd = { toString: 1, valueOf: 1 };
  const rrset = { name: `www.${zone}`, type: odd, changetype: 'REPLACE', records: [] };
  for (const [method, path, body] of [
    ['PUT', `/zones/${zone}`, { kind: odd }],
    ['PUT', `/zones/${zone}`, { kind: ['native'] }],
    ['PUT', `/zones/${zone}`, { rrsets: [rrset] }],
    ['PUT', `/zones/${zone}`, { rrsets: [{ ...rrset, name: odd, type: 'SOA' }] }],
    ['PATCH', `/zones/${zone}`, { rrsets: [rrset] }],
    ['POST', '/zones', { name: 'odd.example.', kind: odd }],
    ['POST', '/zones', { name: 'odd.example.', kind: 'Native', nameservers: [odd] }],
    ['POST', '/zones', { name: 'odd.example.', kind: 'Native', rrsets: [rrset] }],
  ] as const) {
    const { status, body: answer } = await send(method, path, body);
    expect([path, status, answer]).toEqual([path, 422, { error: expect.any(String) }]);
  }
});
