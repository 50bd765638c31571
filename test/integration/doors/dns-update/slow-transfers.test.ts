// Zone transfers of clients that read slowly, and the large reads of another team.
import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { META } from '#dns/message/message.ts';
import { signed, type UpdateKey, updateKey } from '../../../support/doors/dns-update/client.ts';
import { queryMessage } from '../../../support/doors/dns-update/message.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  nameserver: false,
  writesBehind: true,
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' },
});
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** A zone of so many MB, whose records are written behind the API because of their size. */
async function largeZone(key: UpdateKey, name: string, megabytes: number): Promise<string> {
  const zone = await service.zone(name, key);
  await service.sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest, ttl)
    select 'rec_' || ${randomInt(1_000_000)}::int || i, (select no from zones where id = ${zone.id}), 'r' || i, 'r' || i, 'TXT',
      '"' || repeat('x', 250) || '"', '"' || repeat('x', 250) || '"', sha256(convert_to(i::text, 'UTF8')), 3600
    from generate_series(1, ${megabytes * 3_500}::int) i`;
  return name;
}

/** Reads a zone by AXFR at about 200 kB a second. */
function readSlowly(key: UpdateKey, zone: string): Socket {
  const socket = connect({ port: service.updatePort(), host: '127.0.0.1' });
  sockets.push(socket);
  const query = signed(queryMessage(zone, META.AXFR), key);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  socket.write(Buffer.concat([length, query]));
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    socket.pause();
    setTimeout(() => socket.resume(), chunk.length / 200);
  });
  return socket;
}

test('while two teams hold all slots with slow transfers, the large read of a third team is answered', async () => {
  const slow = [await updateKey(service, { team: 'slow' }), await updateKey(service, { team: 'slower' })];
  const zones = [await largeZone(slow[0]!, 'slow.example', 24), await largeZone(slow[1]!, 'slower.example', 24)];
  const third = await updateKey(service, { team: 'third' });
  const wanted = await largeZone(third, 'third.example', 2);
  for (const at of [0, 0, 1, 1]) readSlowly(slow[at]!, zones[at]!);
  // All slots are taken, and each waits for its client: the buffers of the sockets are full.
  const isWaiting = async () => service.sql`select from pg_stat_activity where datname = current_database()
    and state = 'idle in transaction' and state_change < clock_timestamp() - interval '400 ms'`;
  await expect.poll(async () => (await isWaiting()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
  const [{ id } = { id: '' }] = await service.sql`select id from zones where name = ${wanted}`;
  const answer = await service.request('GET', `/zones/${id}/records`, undefined, third.text);
  expect(answer.status).toBe(200);
});
