// The api process with the port of DNS updates: it answers an update that is in progress when it is told to exit.
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change } from '../../../support/doors/dns-update/message.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startApiProcess } from '../../../support/service/api-process.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { updates: port = 0 } = await allocatePorts([{ name: 'updates', dns: true }], {
  stateDir: await temporaryFolder('ports'),
});
const api = await startApiProcess(service, { ZONESTEAD_UPDATE_LISTEN: `127.0.0.1:${port}` });
const key = await updateKey(service);

test('the api answers updates that wait for their zones when it is told to exit', async () => {
  const [one, other] = [await service.zone(), await service.zone()];
  const send = (zone: typeof one, tcp: boolean) => {
    const changes = [change.add(`www.${zone.zoneName}`, 300, 'A', '192.0.2.1')];
    return update(port, key, { zone: zone.zoneName, changes }, { tcp });
  };
  const replies = await service.sql.begin(async (sql) => {
    await sql`select from zones where id in ${sql([one.id, other.id])} for update`;
    const both = Promise.all([send(one, false), send(other, true)]);
    const waiters = () => service.sql`select from pg_stat_activity where datname = current_database()
      and application_name like 'zonestead-api%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiters()).length).toBe(2);
    process.kill(api.part.pid, 'SIGTERM');
    await expect.poll(() => isOpen(port)).toBe(false);
    return { both };
  });
  for (const reply of await replies.both) expect(reply).toMatchObject({ rcode: 'NOERROR', isSigned: true });
});

function isOpen(at: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ host: '127.0.0.1', port: at });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
