// The round trips to Postgres that applying sets takes, next to a plain batch of as many records. A relay before
// Postgres counts one whenever the service sends something while no statement waits for its answer. It reads the
// messages of Postgres' protocol, because a long answer or a long request comes in any number of pieces. The test calls
// the service without the api, because the background work of the api sends statements as well.
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { Caller } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { applySets } from '#service/owners/apply.ts';
import { applyBatch } from '#service/records/writer.ts';
import { startTestService } from '../../../support/service/service.ts';
import { openServiceContext } from '../../../support/service/service-context.ts';

/**
 * Counts the messages of a direction that have one of these letters: a letter, then the length as four octets
 * (PostgreSQL, 54.2).
 */
function messages(...letters: string[]): (octets: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  return (octets) => {
    rest = Buffer.concat([rest, octets]);
    let count = 0;
    for (;;) {
      const length = rest.length < 5 ? Number.POSITIVE_INFINITY : 1 + rest.readUInt32BE(1);
      if (rest.length < length) return count;
      if (letters.includes(String.fromCharCode(rest[0] ?? 0))) count += 1;
      rest = rest.subarray(length);
    }
  };
}

const service = await startTestService({ nameserver: false });
const database = new URL(service.database.url);
let trips = 0;
const relay = createServer((incoming) => {
  const outgoing = connect(Number(database.port), database.hostname);
  let waiting = 0;
  const asked = messages('S', 'Q');
  const answered = messages('Z');
  let hasStarted = false;
  /** A statement whose other pieces follow. */
  let isCut = false;
  incoming.on('data', (octets: Buffer) => {
    if (hasStarted) {
      if (waiting === 0 && !isCut) trips += 1;
      const complete = asked(octets);
      isCut = complete === 0;
      waiting += complete;
    }
    outgoing.write(octets);
  });
  outgoing.on('data', (octets: Buffer) => {
    const ended = answered(octets);
    // The first "ready for query" ends the sign-in, whose first message has no letter.
    waiting = Math.max(0, waiting - ended);
    hasStarted ||= ended > 0;
    incoming.write(octets);
  });
  for (const [from, to] of [
    [incoming, outgoing],
    [outgoing, incoming],
  ] as const) {
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  }
});
await new Promise<void>((resolve) => {
  relay.listen(0, '127.0.0.1', resolve);
});
afterAll(() => void relay.close());
const through = new URL(database);
through.port = String((relay.address() as AddressInfo).port);
through.hostname = '127.0.0.1';
const context = openServiceContext(through.href);
const actor = await authenticate(context, service.admin.text, '127.0.0.1');

/** The fewest of three requests: a zone asks for more of its quota now and then. */
async function tripsOf(request: (caller: Caller) => Promise<readonly { ok: boolean }[]>): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const before = trips;
    const results = await request({ actor, requestId: 'request', once: null });
    found.push(trips - before);
    expect(results.every(({ ok }) => ok)).toBe(true);
  }
  return Math.min(...found);
}

test('sets take at most one round trip more than a batch, and unchanged ones fewer', async () => {
  const zone = await service.zone();
  let serial = 0;
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const batch = (count: number) => (caller: Caller) => {
    serial += 1;
    const record = (index: number) => ({ name: `b${serial}-${index}`, type: 'A', content: '192.0.2.1' });
    const changes = numbers(count).map((index) => ({ action: 'create', record: record(index) }) as const);
    return applyBatch(context, caller, zone.id, { atomic: false, changes });
  };
  const sets = (count: number, prefix: () => string) => (caller: Caller) => {
    const first = prefix();
    const set = (index: number) => {
      const name = `${first}-${index}`;
      return {
        owner: `k8s:one/default/${name}`,
        generation: 1,
        exact: true,
        name,
        type: 'A',
        values: [{ content: '192.0.2.1' }],
      };
    };
    return applySets(context, caller, zone.id, { atomic: false, sets: numbers(count).map(set) }, null);
  };
  const fresh = () => {
    serial += 1;
    return `s${serial}`;
  };
  const found = {
    'batch of 1': await tripsOf(batch(1)),
    '1 set': await tripsOf(sets(1, fresh)),
    '1 unchanged set': await tripsOf(sets(1, () => `s${serial}`)),
    'batch of 1000': await tripsOf(batch(1_000)),
    '1000 sets': await tripsOf(sets(1_000, fresh)),
    '1000 unchanged sets': await tripsOf(sets(1_000, () => `s${serial}`)),
  };
  expect(found['1 set']).toBeLessThanOrEqual(found['batch of 1'] + 1);
  expect(found['1 unchanged set']).toBeLessThanOrEqual(found['batch of 1']);
  expect(found['1000 sets']).toBeLessThanOrEqual(found['batch of 1000'] + 1);
  expect(found['1000 unchanged sets']).toBeLessThanOrEqual(found['batch of 1000']);
}, 300_000);
