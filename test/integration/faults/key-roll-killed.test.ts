// SIGKILL of the api, of the name server's two processes and of Postgres while key rolls take their steps, on a stack
// of its own of real processes. Each roll ends, its zone has one key and its DS records, and no answer is bogus.
// ZONESTEAD_TEST_CRASHES is the number of passes, in each of which another process ends at each step (default: 1; with
// 4, each process ends at each step).
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { DsRecord } from '#contract/zone.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { type Service, startService } from '../../../deploy/local/service.ts';
import { createResolver, type Resolver } from '../../support/dns/resolver.ts';
import { createRequest, type Request } from '../../support/http/requests.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const stateDir = await temporaryFolder('key-roll-killed');
const { signal } = new AbortController();
const agent = new Agent();
const PASSES = Number(process.env.ZONESTEAD_TEST_CRASHES ?? 1);
const LIMIT_MS = 600_000;
const STEP_MS = 100_000;
/** A process ends within this time after a step is due, in ms: before, during or after its transaction. */
const WITHIN_MS = 700;
const PARENT = 'rolled.test';
const CHILD = `child.${PARENT}`;
const VICTIMS = ['api', 'node', 'knot', 'postgres'] as const;
const ROLLS = [
  { algorithm: 13, states: ['active published', 'active ready', 'retired active', 'active'] },
  {
    algorithm: 15,
    states: ['active presigning', 'active published', 'active ready', 'postsigning active', 'active'],
  },
  {
    algorithm: 13,
    states: ['active presigning', 'active published', 'active ready', 'postsigning active', 'active'],
  },
] as const;

let service: Service;
let request: Request;
let dns: Resolver;
let sql: Sql;
let anchor: { ds: string };
let childId: string;

beforeAll(async () => {
  const names = ['postgres', 'api', 'apiHealth', 'dns', 'nameserverHealth'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name, dns: name === 'dns' })),
    { stateDir },
  );
  const lists = { dns: [ports.dns], nameserverHealth: [ports.nameserverHealth] };
  const main = inject('program');
  service = await startService({
    stateDir,
    ports: { ...ports, ...lists },
    limits: false,
    main,
    progress: () => {},
    signal,
  });
  const { team, key } = service.keys.first;
  request = createRequest(service.url, agent, key);
  dns = createResolver(service.dns, stateDir);
  sql = postgres(service.databaseUrl, { max: 1, onnotice: () => undefined });
  const create = async (zoneName: string) => (await request('POST', '/zones', { zoneName, owner: `org:${team}` })).body;
  const parent = await create(PARENT);
  const [ds] = parent.ds as DsRecord[];
  anchor = { ds: [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' ') };
  childId = (await create(CHILD)).id as string;
  await request('POST', `/zones/${childId}/records`, { name: 'www', type: 'A', content: '192.0.2.1' });
  await vi.waitFor(async () => expect((await validate()).state).toBe('secure'), { timeout: STEP_MS, interval: 200 });
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await agent.close();
  await service?.stop();
  await removePostgresState(stateDir);
});

const validate = () => dns.delv(PARENT, `www.${CHILD}`, 'A', anchor);
const readKeys = async () => (await request('GET', `/zones/${childId}/keys`)).body as unknown as ZoneKeys;
const beginRoll = (algorithm: number) => request('POST', `/zones/${childId}/keys/roll`, { algorithm });
/** Resolvers without a cache need no waits: each one ends now. */
const hasten = () => sql`
  update zone_keys set shown_since = shown_since - make_interval(secs => hold_s), look_at = now()
  where look_at is not null and shown_since is not null and hold_s > 0`;

/** The result of a request or query; null while a process is down. */
const attempt = <T>(work: () => Promise<T>): Promise<T | null> => work().catch(() => null);

async function reach(wanted: string): Promise<void> {
  const end = Date.now() + STEP_MS;
  let keys: ZoneKeys | null = null;
  for (;;) {
    keys = await attempt(readKeys);
    const states = keys?.keys?.map(({ state }) => state).join(' ');
    if (states === wanted) return;
    if (Date.now() > end) throw new Error(`${states}, and not ${wanted}: ${keys?.roll?.waitsFor}`);
    await attempt(hasten);
    await sleep(50);
  }
}

/** Ends the process at a random moment, and starts it again. */
async function kill(victim: (typeof VICTIMS)[number]): Promise<void> {
  const { running, nameServers } = service;
  const [server] = nameServers;
  const parts = { api: 'api', postgres: 'postgres', node: server?.node, knot: server?.knot } as const;
  const part = parts[victim] as Parameters<typeof running.part>[0];
  await sleep(randomInt(WITHIN_MS));
  await running.part(part).stop({ signal: 'SIGKILL' });
  await running.start(part);
}

/** Validates without a pause. An answer counts if knotd was there all the time. */
function watchAnswers() {
  const counts = { secure: 0, other: [] as string[], knotKills: 0 };
  let isDone = false;
  const ended = (async () => {
    while (!isDone) {
      const before = counts.knotKills;
      const result = await attempt(validate);
      if (result?.state === 'secure') counts.secure += 1;
      else if (before === counts.knotKills && before % 2 === 0) counts.other.push(JSON.stringify(result));
    }
  })();
  return {
    counts,
    stop: async () => {
      isDone = true;
      await ended;
    },
  };
}

test('a process ends at each step of key rolls: no roll is stuck, no DS record stays or is doubled, no answer is bogus', {
  timeout: LIMIT_MS,
}, async () => {
  const answers = watchAnswers();
  const first = randomInt(VICTIMS.length);
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const [at, { algorithm, states }] of ROLLS.entries()) {
      for (const [step, state] of states.entries()) {
        const victim = VICTIMS[(first + pass + at + step) % VICTIMS.length] as (typeof VICTIMS)[number];
        if (step > 0) await hasten();
        const begun = step === 0 ? attempt(() => beginRoll(algorithm)) : null;
        // An odd number: knotd is down.
        if (victim === 'knot') answers.counts.knotKills += 1;
        await kill(victim);
        if (victim === 'knot') answers.counts.knotKills += 1;
        await begun;
        // Without its answer, a person repeats the request; a conflict says that it was carried out.
        if (step === 0) expect([200, 409]).toContain((await beginRoll(algorithm)).status);
        await reach(state);
      }
      const { keys } = await readKeys();
      expect(keys.map((key) => key.algorithm)).toEqual([algorithm]);
      const ds = async () =>
        (await dns.lookup(CHILD, 'DS')).answers.map((text) => text.split(' ').slice(3, 5).join(' '));
      const wanted = [1, 2].map(() => `${keys[0]?.keyTag} ${algorithm}`);
      await expect.poll(async () => ds(), { timeout: STEP_MS }).toEqual(wanted);
    }
  await answers.stop();
  expect(answers.counts.other).toEqual([]);
  expect(answers.counts.secure).toBeGreaterThan(20);
});
