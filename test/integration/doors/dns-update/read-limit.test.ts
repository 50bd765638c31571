// The read limit of a key at the port of DNS updates.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type UpdateKey, updateKey } from '../../../support/doors/dns-update/client.ts';
import { startTestService } from '../../../support/service/service.ts';

const run = promisify(execFile);
const service = await startTestService({
  limits: true,
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0', ZONESTEAD_READS_PER_MINUTE: '60' },
});
const zone = await service.zone('signed-reads.example');

async function dig({ algorithm, name, secret }: UpdateKey, type: string): Promise<string> {
  const proof = `${algorithm}:${name}:${Buffer.from(secret).toString('base64')}`;
  const args = ['@127.0.0.1', '-p', String(service.updatePort()), '-y', proof, zone.zoneName, type, '+tcp', '+time=15'];
  return run('dig', args, { timeout: 60_000 }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

test('signed queries and transfers beyond the read limit of their key are REFUSED, and another key is answered', async () => {
  const [loop, other] = [await updateKey(service), await updateKey(service)];
  for (let at = 0; at < 10; at += 1) expect(await dig(loop, at % 2 === 0 ? 'SOA' : 'AXFR')).toContain('IN\tSOA');
  const answers = await Promise.all(Array.from({ length: 20 }, () => dig(loop, 'SOA')));
  const refused = answers.filter((text) => text.includes('status: REFUSED'));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toContain('Too many reads with this key');
  expect(await dig(other, 'SOA')).toContain('status: NOERROR');
});
