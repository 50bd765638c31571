// DNS updates with TSIG from one writer, over UDP: from the message to its answer, and the same record by REST for
// comparison. `node test/bench/update.ts`

import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { FUDGE, signRequest, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { change, updateMessage } from '../support/doors/dns-update/message.ts';
import { printBar } from './bars.ts';
import { quantile } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const ROUNDS = 1_000;
const WARM = 100;
const LIMIT_MS = 3 * 60_000;
const BAR_MS = 15;
const ZONE = 'bench.example';

async function run(bench: Bench): Promise<void> {
  const { updates: port = 0 } = await allocatePorts([{ name: 'updates', dns: true }], { stateDir: bench.stateDir });
  const service = await startBenchService(bench, 1, { ZONESTEAD_UPDATE_LISTEN: `127.0.0.1:${port}` });
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  bench.atEnd(() => client.close());
  const { id: zoneId } = await client.call(createZone, {
    body: { zoneName: ZONE, owner: `org:${service.keys.first.team}` },
  });
  const input = { name: 'bench', records: 'write', tsig: 'hmac-sha256' } as const;
  const { tsig } = await adminMintKey(service.databaseUrl, { team: 'first' }, input, randomBytes, new Date());
  if (tsig === null) throw new Error('the key has no TSIG key');
  const key: TsigKey = { name: tsig.name, algorithm: tsig.algorithm, secret: Buffer.from(tsig.secret, 'base64') };
  const socket = createSocket('udp4');
  bench.atEnd(async () => socket.close());
  const update = async (index: number): Promise<number> => {
    const changes = [change.add(`u${index}.${ZONE}`, 300, 'A', numberedAddress(index))];
    const request = signRequest(updateMessage({ id: index, zone: ZONE, changes }), key, Math.floor(Date.now() / 1000));
    const since = performance.now();
    const answered = once(socket, 'message', { signal: bench.signal });
    socket.send(request, port, '127.0.0.1');
    const [answer] = (await answered) as [Buffer];
    const ms = performance.now() - since;
    if (((answer[3] as number) & 0xf) !== 0 || takeTsig(answer)?.tsig.fudge !== FUDGE)
      throw new Error('an update failed');
    return ms;
  };
  const write = async (index: number): Promise<number> => {
    const since = performance.now();
    await client.call(createRecord, {
      params: { id: zoneId },
      body: { name: `r${index}`, type: 'A', content: numberedAddress(index), ttl: 300 },
    });
    return performance.now() - since;
  };
  const measure = async (one: (index: number) => Promise<number>): Promise<number[]> => {
    const samples: number[] = [];
    for (let index = 0; index < WARM + ROUNDS; index += 1) {
      const ms = await one(index);
      if (index >= WARM) samples.push(ms);
    }
    return samples;
  };
  const [updates, writes] = [await measure(update), await measure(write)];
  printSummaries({ 'update with TSIG, message → answer': updates, 'the same record by REST': writes });
  print();
  printBar({ what: 'update with TSIG, median', value: quantile(updates, 0.5), most: BAR_MS, unit: 'ms' });
}

await runBench('DNS updates (RFC 2136) of one writer', LIMIT_MS, run);
