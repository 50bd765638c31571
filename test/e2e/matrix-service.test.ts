// The fault matrix, second part: the way to the service goes wrong in every manner while objects are created, changed and
// deleted. The operator, the service, Postgres, PowerDNS and the API server are real; a proxy stands between the first two.
// The cells stand beside each other, each in a namespace of its own with an operator and a proxy for it.
import { describe, it } from 'vitest';
import { CHANGING, CREATING, cleanUp, consistent, DELETING, newCell, WORKS } from '../support/matrix/cell.ts';
import { startChain } from '../support/matrix/chain.ts';
import {
  cutAfter,
  cutBefore,
  type HttpFault,
  half,
  refusing,
  slow,
  startFaultyProxy,
  strange,
} from '../support/matrix/faulty-proxy.ts';
import { startOperator } from '../support/matrix/operator.ts';
import { untilIs } from '../support/matrix/until.ts';

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
const isWrite = (method: string) => method !== 'GET';
/** Not the operator's own look whether the service is back. */
const isRead = (method: string, path: string) => method === 'GET' && path.startsWith('/v1/dns/');

const cell = async (fault: HttpFault, matches: typeof isRead, work: (typeof WORKS)[number], times: number) => {
  const made = await newCell(chain);
  const proxy = await startFaultyProxy(chain.url);
  const operator = startOperator(chain, { url: proxy.url, namespace: made.namespace });
  try {
    await work.given(chain, made);
    await consistent(chain, made, 'given');
    proxy.arm(fault, matches, times);
    await work.act(chain, made);
    await untilIs('requests that go wrong', proxy.hits, (hits) => hits === times, 20_000);
    made.made = work.made;
    await consistent(chain, made, work.title);
    await cleanUp(chain, made);
  } finally {
    await operator.stop();
    await proxy.close();
  }
};

describe.concurrent.each(WORKS)('while $title', (work) => {
  it.each(Object.entries(FAULTS))('a write that %s is made once in the end', async (_title, fault) => {
    await cell(fault, isWrite, work, 1);
  });
});

describe.concurrent('beside that', () => {
  it.each([CREATING, CHANGING, DELETING])(
    'two answers in a row that are lost while $title are heard in the end',
    async (work) => {
      await cell(cutAfter, isWrite, work, 2);
    },
  );

  it.each(Object.entries(FAULTS).filter(([title]) => !/429|busy/.test(title)))(
    'a read that %s is repeated',
    async (_title, fault) => {
      await cell(fault, isRead, CHANGING, 1);
    },
  );
});
