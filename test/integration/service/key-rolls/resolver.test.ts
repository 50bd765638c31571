// A validating resolver with a cache asks all the time while a zone rolls its key: it refuses no answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startValidatingResolver } from '../../../support/dns/validating-resolver.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

/** The cache keeps nothing for longer, so that a test need not wait for the hours of real TTLs. */
const MAX_TTL_S = 2;
const LIMIT_MS = 90_000;
const ASKERS = 8;

let ahead = 0;
const service = await startTestService({ time: () => new Date(Date.now() + ahead) });
const { request } = service;

test.each([13, 15])(
  'a resolver with a cache accepts each answer during a roll to algorithm %s, its beginning and its end',
  async (algorithm) => {
    const parentName = `cached${algorithm}.example`;
    const parent = await service.zone(parentName);
    const child = await service.zone(`child.${parentName}`);
    for (let n = 0; n < 20; n += 1) await service.record(child, `n${n}`, 'A', `192.0.2.${n}`);
    await service.settled();
    const folder = await temporaryFolder('resolver');
    const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
    const [ds] = parent.ds;
    const resolver = await startValidatingResolver({
      command: inject('tools').unbound,
      ...{ folder, port, zone: parentName, server: service.dns, maxTtl: MAX_TTL_S },
      anchor: `${parentName}. DS ${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}`,
      signal: new AbortController().signal,
    });
    onTestFinished(async () => {
      resolver.close();
      await resolver.part.stop();
    });

    const wrong: string[] = [];
    let [asked, isOver] = [0, false];
    const ask = async () => {
      while (!isOver) {
        const n = asked++;
        const [name, type] =
          n % 4 === 3 ? [`absent${n}.child.${parentName}`, 'A'] : [`n${n % 20}.child.${parentName}`, 'A'];
        const { state } = await resolver.resolve(name, type);
        if (state !== 'secure') wrong.push(`${name}: ${state}`);
        await sleep(2);
      }
    };
    const asking = Promise.all(Array.from({ length: ASKERS }, ask));

    await sleep(MAX_TTL_S * 1_000);
    expect((await request('POST', `/zones/${child.id}/keys/roll`, { algorithm })).status).toBe(200);
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      const { keys, roll } = (await request('GET', `/zones/${child.id}/keys`)).body as unknown as ZoneKeys;
      if (roll === null) {
        expect(keys.map((key) => key.algorithm)).toEqual([algorithm]);
        break;
      }
      if (Date.now() > end) throw new Error(`the roll waits for ${roll.waitsFor}`);
      if (roll.nextStepAt !== null) {
        // The cache forgets as it would in the time that the service skips.
        await sleep(MAX_TTL_S * 1_000 + 500);
        ahead = Math.max(ahead, Date.parse(roll.nextStepAt) - Date.now());
      }
      await sleep(100);
    }
    await sleep(MAX_TTL_S * 1_000);
    isOver = true;
    await asking;
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
  },
);
