// The name servers of a zone side by side: answers and reports become one row each, and the late ones are named.
import { expect, test } from 'vitest';
import { buildServerRows, type Compared, summarizeRows } from '#console/live/comparison.ts';
import type { LiveServer } from '#dns/live.ts';
import type { NodeOfZone } from '#service/nodes/living.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const AGO = '2026-11-21T11:48:00.000Z';

const server = (more: Partial<LiveServer> = {}): LiveServer => ({
  name: 'ns1.test',
  address: '192.0.2.1:53',
  problem: null,
  rcode: 'NOERROR',
  aa: true,
  node: 'n1',
  serial: 7,
  ms: 1.5,
  answers: [{ name: 'www.test', type: 'A', ttl: 60, text: '192.0.2.9' }],
  ...more,
});
const node = (more: Partial<NodeOfZone> = {}): NodeOfZone => ({
  node: 'n1',
  current: true,
  reportedAt: NOW.toISOString(),
  ...more,
});
const secondary = (more = {}) => ({ name: 'eu', nameservers: ['ns.eu.test'], state: 'current' as const, ...more });
const rows = (parts: Partial<Compared>) => {
  const servers = parts.servers ?? [];
  const differences = servers.map(() => ({ differs: false, serial: 'current' as const }));
  return buildServerRows({ servers, differences, nodes: [], secondaries: [], serial: 7, ...parts }, NOW);
};
const late = { differs: true, serial: 'behind' as const };

test('a row joins the answer of a server with the report of the node that it names', () => {
  expect(rows({ servers: [server()], nodes: [node()] })).toMatchObject([
    {
      ...{ name: 'n1', role: 'node', host: 'ns1.test (192.0.2.1:53)', state: 'up to date', kind: 'done', serial: 7 },
      answer: { rcode: 'NOERROR', isAuthoritative: true, differs: false, records: ['60 A 192.0.2.9'], more: 0 },
    },
  ]);
});

test('a row with an old serial says since when its node is behind', () => {
  const nodes = [node({ current: false, behindSince: AGO })];
  const [row] = rows({ servers: [server({ serial: 6 })], differences: [late], nodes });
  expect(row).toMatchObject({
    state: 'behind',
    kind: 'warn',
    since: { ago: '12 min ago' },
    answer: { differs: true },
  });
});

test('a row without an answer has the reason', () => {
  const problem = {
    problem: 'does not answer over UDP',
    rcode: null,
    serial: null,
    node: null,
    ms: null,
    answers: [],
  };
  expect(rows({ servers: [server(problem)] })[0]).toMatchObject({
    ...{ name: 'ns1.test', role: 'name server', state: 'no answer', kind: 'failed' },
    ...{ reason: 'does not answer over UDP', answer: null },
  });
});

test('a row joins the answer of a server with the report about its secondary', () => {
  const servers = [server({ name: 'ns.eu.test', node: null, serial: 6 })];
  const secondaries = [secondary({ state: 'behind', since: AGO, reason: 'it has an older version' })];
  expect(rows({ servers, differences: [late], secondaries })).toMatchObject([
    {
      name: 'eu',
      role: 'secondary',
      state: 'behind',
      since: { ago: '12 min ago' },
      reason: 'it has an older version',
    },
  ]);
});

test('a row stands for each node and secondary that was not queried, with its report', () => {
  const nodes = [
    node(),
    node({ node: 'n2', starting: true }),
    node({ node: 'n3', current: false, error: 'disk full' }),
  ];
  const found = rows({ nodes, secondaries: [secondary({ state: 'silent' })] });
  // All changes are applied at the first one, so it has the serial of the service.
  expect(found.map(({ name, state, serial, host, answer }) => [name, state, serial, host, answer])).toEqual([
    ['n1', 'up to date', 7, null, null],
    ['n2', 'starting', null, null, null],
    ['n3', 'failing', null, null, null],
    ['eu', 'no answer', null, null, null],
  ]);
});

test('a row with a reported error is failing, even with the current serial', () => {
  const nodes = [node({ current: false, error: 'disk full' })];
  expect(rows({ servers: [server()], nodes })[0]).toMatchObject({ state: 'failing', reason: 'disk full' });
});

test('the summary names the servers that are not up to date', () => {
  const nodes = [node(), node({ node: 'n2', current: false }), node({ node: 'n3' })];
  expect(summarizeRows(rows({ nodes }))).toBe('2 of 3 name servers are up to date. n2 is behind.');
  const since = [node({ current: false, behindSince: AGO })];
  expect(summarizeRows(rows({ nodes: since }))).toBe('n1 is behind for 12 min.');
  expect(summarizeRows(rows({ nodes: [node()] }))).toBe('The name server is up to date.');
  expect(summarizeRows(rows({ nodes: [node(), node({ node: 'n2' })] }))).toBe('All 2 name servers are up to date.');
  expect(summarizeRows(rows({ nodes: nodes.slice(0, 2) }))).toBe('1 of 2 name servers is up to date. n2 is behind.');
  const all = [node({ current: false }), node({ node: 'n2', current: false })];
  expect(summarizeRows(rows({ nodes: all }))).toBe(
    'None of the 2 name servers is up to date. n1 is behind. n2 is behind.',
  );
  expect(summarizeRows([])).toBe('No name server is known.');
});
