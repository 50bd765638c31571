// The port of DNS updates: answers, rights, and what is served afterwards.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';
import { update, updateKey } from '../../support/update/client.ts';
import { change, when } from '../../support/update/message.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const port = service.updatePort();
const key = await updateKey(service);

describe('an update', () => {
  test('adds a record over UDP and TCP, which is then served', async () => {
    const { zoneName: zone } = await service.zone();
    const www = change.add(`www.${zone}`, 300, 'A', '192.0.2.1');
    expect(await update(port, key, { zone, changes: [www] })).toMatchObject({ rcode: 'NOERROR', isSigned: true });
    const mail = change.add(zone, 300, 'MX', '10 mail.example.net.');
    expect(await update(port, key, { zone, changes: [mail] }, { tcp: true })).toMatchObject({
      rcode: 'NOERROR',
      isSigned: true,
    });
    expect((await service.dns.lookup(`www.${zone}`, 'A')).answers).toEqual([`www.${zone} 300 A 192.0.2.1`]);
    expect((await service.dns.lookup(zone, 'MX')).answers).toHaveLength(1);
    expect(
      await update(port, key, { zone, prerequisites: [when.unused(`www.${zone}`)], changes: [www] }),
    ).toMatchObject({ rcode: 'YXDOMAIN' });
  });
});
