// nsupdate and knsupdate sign with each algorithm, and accept the signatures of the answers.
import { expect, test } from 'vitest';
import { TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { updateKey } from '../../../support/doors/dns-update/client.ts';
import { runScript } from '../../../support/doors/dns-update/primary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' }, nameserver: false });
const port = service.updatePort();

test.for(TSIG_KEY_ALGORITHMS)('nsupdate and knsupdate work with a key for %s', async (algorithm) => {
  const key = await updateKey(service, { algorithm });
  const { zoneName: zone, id } = await service.zone();
  const script = (name: string) => [
    `update add ${name}.${zone}. 60 A 192.0.2.1`,
    'send',
    `prereq nxdomain ${name}.${zone}.`,
    'send',
  ];
  expect(await runScript('nsupdate', { port, key, zone }, script('one'))).toEqual(['NOERROR', 'YXDOMAIN']);
  expect(await runScript('knsupdate', { port, key, zone }, script('two'))).toEqual(['YXDOMAIN']);
  const { body } = await service.request('GET', `/zones/${id}/records`);
  expect((body as { records: { name: string }[] }).records.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('nsupdate and knsupdate report a wrong key', async () => {
  const key = await updateKey(service);
  const { zoneName: zone } = await service.zone();
  const wrong = { ...key, secret: Buffer.from('another secret of some octets') };
  const script = [`update add a.${zone}. 60 A 192.0.2.1`, 'send'];
  expect(await runScript('nsupdate', { port, key: wrong, zone }, script)).toEqual(['NOTAUTH']);
  await expect(runScript('knsupdate', { port, key: wrong, zone }, script)).rejects.toThrow('BADSIG');
});
