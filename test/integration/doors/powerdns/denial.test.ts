// NSEC and NSEC3 in the PowerDNS API: the parameters that a zone may have, and the right to change them.
import { expect, test } from 'vitest';
import { powerDnsClient } from '../../../support/doors/powerdns/client.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);
const ZONE = 'hashed.example.';
const readParameters = async () => ((await send('GET', `/zones/${ZONE}`)).body as { nsec3param: string }).nsec3param;

test('a zone has NSEC3 with the parameters of RFC 9276, and NSEC without parameters', async () => {
  const fields = { name: ZONE, kind: 'Native', nameservers: [], nsec3param: '1 0 0 -' };
  expect(await send('POST', '/zones', fields)).toMatchObject({ status: 201, body: { nsec3param: '1 0 0 -' } });
  for (const nsec3param of ['', '1 0 0 -', '1 0 0 -', '']) {
    expect((await send('PUT', `/zones/${ZONE}`, { nsec3param, nsec3narrow: false })).status).toBe(204);
    expect(await readParameters()).toBe(nsec3param);
  }
});

test.each([
  [{ nsec3param: '1 0 5 ab' }, 'must be "1 0 0 -", or empty for NSEC, and not "1 0 5 ab"'],
  [{ nsec3param: '1 1 0 -' }, 'must be "1 0 0 -"'],
  [{ nsec3param: 7 }, 'must be "1 0 0 -"'],
  [{ nsec3param: '1 0 0 -', nsec3narrow: true }, '"nsec3narrow" cannot be true'],
])('the settings %j are refused', async (fields, text) => {
  const { status, body } = await send('PUT', `/zones/${ZONE}`, fields);
  expect([status, body]).toEqual([422, { error: expect.stringContaining(text) }]);
  expect(await readParameters()).toBe('');
});

test('a request without parameters leaves those of the zone', async () => {
  await send('PUT', `/zones/${ZONE}`, { nsec3param: '1 0 0 -' });
  expect((await send('PUT', `/zones/${ZONE}`, { account: 'x' })).status).toBe(204);
  expect(await readParameters()).toBe('1 0 0 -');
});

test('a key that may not manage zones changes no parameters', async () => {
  const { text } = await service.key({ manageZones: 'read' });
  const { status } = await powerDnsClient(service.url, text)('PUT', `/zones/${ZONE}`, { nsec3param: '' });
  expect([status, await readParameters()]).toEqual([403, '1 0 0 -']);
});
