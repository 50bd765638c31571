// The fault matrix, second part: the connection to the service fails in every way while objects are created, changed
// and deleted. The operator, the service, Postgres, Knot and the API server are real; a proxy is between the first
// two. The cells run in parallel, each in a namespace of its own with an operator and a proxy for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Cell, CHANGING, CREATING, DELETING, WORKS, type Work } from '../../support/matrix/cell.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { reasonOfReady } from '../../support/matrix/invariants.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startOperator } from '../../support/matrix/operator.ts';
import { untilIs } from '../../support/time/until.ts';
import {
  cutAfter,
  cutBefore,
  type HttpFault,
  half,
  passing,
  refusing,
  slow,
  startFaultyProxy,
  strange,
} from './faulty-proxy.support.ts';

const chain = await startChain();

const FAULTS: Readonly<Record<string, HttpFault>> = {
  'is answered 429': refusing(429, 'rate_limited', 1),
  'is answered 503 busy': refusing(503, 'busy', 1),
  'is answered 503 by something else': strange,
  'is answered 500': refusing(500, 'internal'),
  'is answered 401': refusing(401, 'unauthorized'),
  'never arrives': cutBefore,
  'arrives, and its answer is lost': cutAfter,
  'arrives, and half of its answer comes back': half,
  'is slow': slow,
};
/** The faults that let the request take effect. */
const COMMITTED: readonly HttpFault[] = [cutAfter, half, slow];

type Matches = (method: string, path: string) => boolean;
/** Neither the operator's heartbeats nor its look whether the service is back. */
const isOfZones: Matches = (_method, path) => path.startsWith('/v1/dns/');
const isWrite: Matches = (method, path) => method !== 'GET' && isOfZones(method, path);
const isApply: Matches = (method, path) => method === 'POST' && path.endsWith('/records:apply');
const isRead: Matches = (method, path) => method === 'GET' && isOfZones(method, path);

/** Healing counts from the last request that went wrong. */
const matrix = openMatrix(chain);

const cell = async (title: string, fault: HttpFault, matches: Matches, work: Work, times: number) => {
  const made = await matrix.newCell();
  const proxy = await startFaultyProxy(chain.url);
  const operator = startOperator(chain, { url: proxy.url, namespace: made.namespace });
  try {
    await work.given(chain, made);
    await matrix.consistent(made, 'given');
    proxy.arm(fault, matches, times);
    await work.act(chain, made);
    await untilIs('requests that go wrong', proxy.hits, (hits) => hits === times);
    if (COMMITTED.includes(fault))
      await untilIs('requests that took effect', proxy.answers, (statuses) => hadEffect(statuses, times));
    made.history = work.history;
    matrix.add(title, await matrix.healed(made, work.title));
    await matrix.cleanUp(made);
  } finally {
    await operator.stop();
    await proxy.close();
  }
};

const hadEffect = (statuses: readonly number[], times: number) =>
  statuses.length === times && statuses.every((status) => status < 300);

describe.concurrent.each(WORKS)('while $title', (work) => {
  test.each(Object.entries(FAULTS))(
    `while ${work.title}, a write that %s is made once in the end`,
    async (title, fault) => {
      await cell(`a write that ${title}`, fault, isWrite, work, 1);
    },
  );
});

/** So many records that they go in few requests. */
const MANY: Work = {
  title: 'twelve records are created',
  given: (chain, { namespace, zoneName }) => chain.zone('zone', { zoneName }, namespace),
  act: (chain, { namespace }) =>
    Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        chain.record(`r${n}`, 'zone', { name: `r${n}`, type: 'A', content: '192.0.2.1' }, namespace),
      ),
    ).then(() => undefined),
  history: 'record.create 12, zone.create 1',
};

describe.concurrent('in addition', () => {
  test.each([CREATING, CHANGING, DELETING])(
    'two answers in a row that are lost while $title are heard in the end',
    async (work) => {
      await cell('two answers lost', cutAfter, isWrite, work, 2);
    },
  );

  // The first write of these works is another one, or one with few sets.
  test.each([CREATING, MANY])(
    'an apply whose answer is lost while $title has created each record once',
    async (work) => {
      await cell('an apply whose answer is lost', cutAfter, isApply, work, 1);
    },
  );

  test.each([CREATING, MANY])(
    'an apply whose answer is cut in half while $title has created each record once',
    async (work) => {
      await cell('an apply whose answer is cut in half', half, isApply, work, 1);
    },
  );

  test.each(Object.entries(FAULTS).filter(([title]) => !/429|busy/.test(title)))(
    'a read that %s is repeated',
    async (title, fault) => {
      await cell(`a read that ${title}`, fault, isRead, CHANGING, 1);
    },
  );
});

/**
 * Attempts after 1, 3, 7, 15 and 31 s have failed by then, and by itself an object would come back 63 s after the
 * first.
 */
const OUTAGE_MS = 33_000;
/** Long before that time. */
const WOKEN_MS = 20_000;

// A zone that is woken wakes its records, so each kind waits alone.
const EDITS = {
  zones: ({ zoneName, namespace }: Cell) => chain.zone('zone', { zoneName, defaultTtl: 600 }, namespace),
  records: ({ namespace }: Cell) =>
    chain.record('www', 'zone', { name: 'www', type: 'A', ttl: 300, content: '192.0.2.7' }, namespace),
};

describe.concurrent('after an outage', () => {
  test.each(['zones', 'records'] as const)(
    'after an outage, %s that wait for the service are woken when it answers again',
    async (kind) => {
      const made = await matrix.newCell();
      const proxy = await startFaultyProxy(chain.url);
      const operator = startOperator(chain, { url: proxy.url, namespace: made.namespace });
      try {
        await CREATING.act(chain, made);
        await matrix.consistent(made, 'given');
        proxy.arm(cutBefore, () => true, Number.POSITIVE_INFINITY);
        await EDITS[kind](made);
        const reason = () => reasonOfReady(chain, made, kind);
        await untilIs(`Ready of the ${kind}`, reason, (is) => is === 'APIUnavailable');
        await sleep(OUTAGE_MS);
        proxy.arm(passing, isOfZones, Number.POSITIVE_INFINITY);
        // The operator looks for the service every 2 s.
        expect(await untilIs('a request', proxy.hits, (hits) => hits > 0)).toBeLessThan(WOKEN_MS);
        await matrix.healed(made, 'woken');
        await matrix.cleanUp(made);
      } finally {
        await operator.stop();
        await proxy.close();
      }
    },
  );
});

matrix.declareEnd();
