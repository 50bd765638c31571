// Writers that record which writes were acknowledged, and which were sent and never answered. Afterwards the test
// compares DNS, the list and the tables with these records.
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Resolver } from '../dns/resolver.ts';
import type { Reply, Request } from '../http/requests.ts';
import { untilIs } from '../time/until.ts';

/** Null: there is none. */
type Value = string | null;

interface Entry {
  zone: { id: string; zoneName: string };
  name: string;
  /** As it was acknowledged last. */
  value: Value;
  id: string | null;
  /** As it may be, because a request was not answered; all entries of one doubt are as before, or all as after. */
  doubt?: { group: number; value: Value };
}

export interface WriteLoad {
  /** How many requests were acknowledged so far. */
  acknowledged(): number;
  /** Ends all writers after their current requests. @throws with an answer that a writer did not expect */
  stop(): Promise<void>;
  /**
   * Sends every unanswered POST again with its Idempotency-Key, and the last few answered ones. Each must get the
   * answer of its first time. To be called after `stop`.
   * @returns the number of POSTs that had no answer
   */
  repeat(): Promise<number>;
  /** Entries whose last request was not answered. */
  doubtful(): number;
  /** Requests that were answered with 503 and a message that nothing was written. */
  busy(): number;
  /** Compares list and DNS with the records, and resolves the unanswered writes. @throws with the differences */
  settle(dns: Resolver): Promise<void>;
}

/** The changes of one request: the state of each entry after it. */
type Step = { method: 'POST' | 'PUT' | 'DELETE'; path: string; body?: unknown; after: [Entry, Value][] };
/** A POST with its Idempotency-Key. */
type Keyed = Step & { token: string };

/** Answered POSTs that `repeat` sends again. */
const REPEATED = 5;

const DNS_MS = 100_000;

/**
 * Starts the writers. @param writers per zone; each has names of its own and changes them in turn: created, updated,
 * deleted, alone and in batches @param request may fail in any way: after no answer, a 5xx other than 503, or a 503
 * that says so, the state of the names is unknown, and the writer continues with others
 */
export function startWriteLoad(request: Request, zones: readonly Entry['zone'][], writers: number): WriteLoad {
  const entries: Entry[] = [];
  const unanswered: Keyed[] = [];
  const answered: { step: Keyed; ids: readonly (string | undefined)[] }[] = [];
  let [running, acknowledged, busy, groups] = [true, 0, 0, 0];

  const post = ({ method, path, body, token }: Keyed) =>
    request(method, path, body, undefined, { 'idempotency-key': token });

  async function send(given: Step): Promise<void> {
    const group = ++groups;
    const step = { ...given, token: randomUUID() };
    const doubt = () => {
      for (const [entry, value] of step.after) entry.doubt = { group, value };
      if (step.method === 'POST') unanswered.push(step);
    };
    let reply: Reply;
    try {
      reply = await (step.method === 'POST' ? post(step) : request(step.method, step.path, step.body));
    } catch {
      doubt();
      // The service is gone; it is asked again when it may be back.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return;
    }
    if (reply.status === 503 && !/may be written or not/.test(reply.text)) busy += 1;
    else if (reply.status >= 500) doubt();
    else {
      const ids = acknowledge(step, reply);
      if (step.method === 'POST') answered.push({ step, ids });
      if (answered.length > REPEATED) answered.shift();
    }
    if (reply.status >= 500) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** @returns the ids of the answer */
  function acknowledge({ method, path, after }: Step, reply: Reply): (string | undefined)[] {
    const wanted = path.endsWith(':batch') ? 200 : { POST: 201, PUT: 200, DELETE: 204 }[method];
    assert.equal(reply.status, wanted, `${method} ${path}: ${reply.text}`);
    const results = listIds(path, reply);
    for (const [index, [entry, value]] of after.entries()) {
      entry.value = value;
      entry.id = value === null ? null : (results[index] ?? entry.id);
    }
    acknowledged += 1;
    return results;
  }

  async function writer(zone: Entry['zone'], number: number): Promise<void> {
    const path = `/zones/${zone.id}/records`;
    const own: Entry[] = [];
    for (let turn = 1; running; turn += 1) {
      const free = own.filter(({ doubt }) => doubt === undefined);
      const there = free.filter(({ value }) => value !== null);
      const address = `10.${number}.${(turn >> 8) & 255}.${turn & 255}`;
      const fresh = (): Entry => {
        const entry = { zone, name: `w${number}-${own.length}`, value: null, id: null };
        own.push(entry);
        entries.push(entry);
        return entry;
      };
      const record = (entry: Entry) => ({ name: entry.name, type: 'A', content: address });
      const [first, second] = there;
      if (turn % 4 === 0 && first && second) {
        const made = [fresh(), fresh()];
        const changes = [
          ...made.map((entry) => ({ action: 'create', record: record(entry) })),
          { action: 'update', id: first.id, record: record(first) },
          { action: 'delete', id: second.id },
        ];
        const after: [Entry, Value][] = [...made, first].map((entry) => [entry, address]);
        await send({ method: 'POST', path: `${path}:batch`, body: { changes }, after: [...after, [second, null]] });
      } else if (turn % 4 === 1 && first) {
        await send({ method: 'PUT', path: `${path}/${first.id}`, body: record(first), after: [[first, address]] });
      } else if (turn % 4 === 2 && first && there.length > 4) {
        await send({ method: 'DELETE', path: `${path}/${first.id}`, after: [[first, null]] });
      } else {
        const entry = fresh();
        await send({ method: 'POST', path, body: record(entry), after: [[entry, address]] });
      }
    }
  }

  const all = zones.flatMap((zone) => Array.from({ length: writers }, (_, number) => writer(zone, number)));
  const ended = Promise.all(all).finally(() => {
    running = false;
  });
  // Aborts when the load must stop.
  ended.catch(() => undefined);
  return {
    acknowledged: () => acknowledged,
    busy: () => busy,
    doubtful: () => entries.filter(({ doubt }) => doubt).length,
    stop: async () => {
      running = false;
      await ended;
    },
    repeat: async () => {
      for (const { step, ids } of answered) {
        const reply = await post(step);
        assert.deepEqual([reply.status < 300, listIds(step.path, reply)], [true, ids], 'the answer of the first time');
      }
      const steps = unanswered.splice(0);
      for (const step of steps) {
        acknowledge(step, await post(step));
        for (const [entry] of step.after) delete entry.doubt;
      }
      return steps.length;
    },
    settle: async (dns) => {
      for (const zone of zones)
        settleZone(
          entries.filter((entry) => entry.zone === zone),
          await readStored(request, zone),
        );
      for (const entry of entries) await expectServed(dns, entry);
    },
  };
}

function listIds(path: string, { body }: Reply): (string | undefined)[] {
  if (!path.endsWith(':batch')) return [body.id as string | undefined];
  return (body.results as { record?: { id: string } }[]).map(({ record }) => record?.id);
}

async function readStored(
  request: Request,
  zone: Entry['zone'],
): Promise<Map<string, { id: string; content: string }>> {
  // Right after Postgres is back, an api without a connection to it answers 503.
  const list = () => request('GET', `/zones/${zone.id}/records`);
  let reply = await list();
  const retried = async () => {
    if (reply.status === 503) reply = await list();
    return reply.status;
  };
  await untilIs(`the records of ${zone.zoneName} are listed`, retried, (status) => status !== 503);
  assert.equal(reply.status, 200, reply.text);
  const records = reply.body.records as { id: string; name: string; content: string }[];
  const byName = new Map(records.map((record) => [record.name, record]));
  assert.equal(byName.size, records.length, `${zone.zoneName} holds a name twice`);
  return byName;
}

function settleZone(entries: readonly Entry[], listed: ReadonlyMap<string, { id: string; content: string }>): void {
  const names = new Set(entries.map(({ name }) => name));
  const strangers = [...listed.keys()].filter((name) => !names.has(name));
  assert.deepEqual(strangers, [], 'records that no request asked for');
  const found = (entry: Entry) => listed.get(entry.name)?.content ?? null;
  for (const entry of entries) {
    if (entry.doubt) continue;
    const { id = null } = listed.get(entry.name) ?? {};
    assert.deepEqual([entry.name, found(entry), id], [entry.name, entry.value, entry.id], 'as acknowledged');
  }
  for (const group of Map.groupBy(
    entries.filter(({ doubt }) => doubt),
    ({ doubt }) => doubt?.group,
  ).values()) {
    const now = group.map((entry) => [entry.name, found(entry)]);
    const before = group.map((entry) => [entry.name, entry.value]);
    const after = group.map((entry) => [entry.name, entry.doubt?.value ?? null]);
    const isWhole = [before, after].some((state) => JSON.stringify(state) === JSON.stringify(now));
    assert.ok(isWhole, `done by half: ${JSON.stringify({ before, after, now })}`);
  }
  for (const entry of entries) {
    entry.value = found(entry);
    entry.id = listed.get(entry.name)?.id ?? null;
    delete entry.doubt;
  }
}

/** Answers may be cached for some seconds while the name server could not ask. */
async function expectServed(dns: Resolver, { zone, name, value }: Entry): Promise<void> {
  const owner = `${name}.${zone.zoneName}`;
  const wanted =
    value === null ? { rcode: 'NXDOMAIN', answers: [] } : { rcode: 'NOERROR', answers: [`${owner} 3600 A ${value}`] };
  for (const until = performance.now() + DNS_MS; ; ) {
    const { rcode, answers } = await dns.lookup(owner, 'A');
    if (JSON.stringify({ rcode, answers }) === JSON.stringify(wanted)) return;
    if (performance.now() > until) return assert.deepEqual({ rcode, answers }, wanted, owner);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
