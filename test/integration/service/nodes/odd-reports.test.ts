// Reports with values that Postgres cannot store.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { NODE_REPORT } from '../../../support/feed/node-report.ts';
import { startTestService } from '../../../support/service/service.ts';

const { url, database } = await startTestService({ nameserver: false, warnings: ['two instances report'] });
const { text: key } = await adminMintNodeKey(database.url, 'odd', {}, randomBytes, new Date());
const INTEGER = 2 ** 31;
const send = async (path: string, body: object) => {
  const answer = await fetch(`${url}/v1/feed/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.status;
};
const ofNode = (change: object) => send('report', { ...NODE_REPORT, node: 'odd', instance: randomUUID(), ...change });
const lag = { zone: 'z', state: 'behind', since: '2026-01-01T00:00:00Z' };
const ofTransfers = (change: object) => {
  const secondary = { name: 'x', zones: 0, current: 0, behind: [], ...change };
  return send('transfers/report', { node: 'odd', secondaries: [secondary] });
};

test('a report that the database cannot keep is refused when a number is too large, a time is none of Postgres, or a field is unknown', async () => {
  for (const change of [
    { zones: INTEGER },
    { failingCount: INTEGER },
    { startedAt: '0000-01-01T00:00:00Z' },
    { cursor: '\0:100' },
    { failing: [{ id: 'z', error: 'x', more: 1 }] },
    { held: { count: INTEGER, zones: [] } },
    { held: { count: 1, zones: [{ name: 'z', since: '0000-01-01T00:00:00Z' }] } },
  ])
    expect([change, await ofNode(change)]).toEqual([change, 400]);
  for (const change of [{ zones: INTEGER }, { current: INTEGER }, { more: 1 }, { behind: [{ ...lag, more: 1 }] }])
    expect([change, await ofTransfers(change)]).toEqual([change, 400]);
});

test('a report that the database cannot keep loses the characters that Postgres does not store, and is kept otherwise', async () => {
  const odd = 'a\0b\ud800';
  const answers = { noerror: Number.MAX_SAFE_INTEGER, nxdomain: 0, servfail: 0, refused: 0, other: 0 };
  for (const change of [
    { zones: INTEGER - 1, failingCount: INTEGER - 1 },
    { version: odd, engine: odd },
    { failing: [{ id: odd, error: odd }] },
    { held: { count: 1, zones: [{ name: odd, since: '2026-01-01T00:00:00Z' }] } },
    { answers },
  ])
    expect([change, await ofNode(change)]).toEqual([change, 200]);
  for (const change of [
    { zones: INTEGER - 1, current: INTEGER - 1 },
    { name: odd },
    { silent: odd },
    { behind: [{ ...lag, zone: odd, reason: odd }] },
    { cursor: '\0:100' },
  ])
    expect([change, await ofTransfers(change)]).toEqual([change, 204]);
});
