// The operator's metrics, scraped from a real one: every series exists at zero from the start and no other is added
// later, the numbers follow the events, and a change can be traced from the service's history back to the log.
import { afterAll, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { replaceRecord } from '#contract/operations/records.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { CREATING, consistent, newCell } from '../../support/matrix/cell.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator } from '../../support/matrix/operator.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { untilIs } from '../../support/time/until.ts';

const chain = await startChain();
const { health } = await allocatePorts([{ name: 'health' }], { stateDir: await temporaryFolder('metrics') });
const log: string[] = [];
const operator = startOperator(chain, { identity: 'the-one', healthPort: health, log: (line) => void log.push(line) });
afterAll(() => operator.stop());

/** Every series and its value, but those of the process itself. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
  const series = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .filter((line) => !/^(process|nodejs)_/.test(line))
    .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const);
  return new Map(series);
}

const become = (name: string, wanted: (value: number) => boolean) =>
  untilIs(name, async () => (await scrape()).get(`zonestead_${name}`) ?? Number.NaN, wanted);

test('the operator shows all series from the start, counts events, and never adds a series', async () => {
  await become('leader', (value) => value === 1);
  await become('workqueue_depth{name="zones"}', (value) => value === 0);
  const first = await scrape();
  // Without objects, the operator sends heartbeats (PUT), reads, and renews its Lease: none of these raises a series
  // here.
  for (const name of [
    'controller_reconcile_total{controller="zones",result="error"}',
    'controller_reconcile_total{controller="records",result="success"}',
    'controller_reconcile_time_seconds_count{controller="records"}',
    'workqueue_depth{name="records"}',
    'pace_waiting{lane="acme"}',
    'pace_waiting{lane="change"}',
    'pace_oldest_waiting_seconds{lane="create"}',
    'pace_wait_duration_seconds_count{lane="acme"}',
    'pace_paused_until_timestamp_seconds',
    'pace_paused_zones',
    'pace_pauses_total{scope="key"}',
    'service_requests_total{method="POST",code="429"}',
    'service_requests_total{method="DELETE",code="none"}',
    'service_request_duration_seconds_count{method="DELETE"}',
    'object_conditions{kind="DNSZone",condition="Delegated",status="True"}',
    'object_conditions{kind="DNSRecord",condition="Propagated",status="False"}',
    'objects_not_ready{kind="DNSRecord",reason="RateLimited"}',
    'objects_not_ready{kind="DNSZone",reason="Other"}',
    'propagation_duration_seconds_count',
    'drift_total{kind="DNSRecord",result="found"}',
    'drift_total{kind="DNSZone",result="repaired"}',
    'kube_requests_total{method="DELETE",code="409"}',
  ])
    expect([name, first.get(`zonestead_${name}`)]).toEqual([name, 0]);

  const cell = await newCell(chain);
  const { namespace, zoneName } = cell;
  await CREATING.act(chain, cell);
  await consistent(chain, cell);
  // The same value again by a second object, a foreign edit repaired, and a zone that does not exist.
  await chain.record('again', 'zone', { name: 'www', type: 'A', content: '192.0.2.1' }, namespace);
  await chain.record('lost', 'nowhere', { name: 'lost', type: 'A', content: '192.0.2.1' }, namespace);
  await become('objects_not_ready{kind="DNSRecord",reason="Conflict"}', (value) => value === 1);
  await become('objects_not_ready{kind="DNSRecord",reason="ZoneNotReady"}', (value) => value === 1);
  await become('object_conditions{kind="DNSRecord",condition="Ready",status="True"}', (value) => value === 1);
  const [zone] = await fetchZones(chain.client, { zoneName });
  const [held] = await fetchRecords(chain.client, zone?.id ?? '', { content: '192.0.2.2' });
  const meddled = { name: 'www', type: 'A', content: '192.0.2.66', ttl: 300 } as const;
  await chain.client.call(replaceRecord, { params: { id: zone?.id ?? '', recordId: held?.id ?? '' }, body: meddled });
  await chain.record(
    'www',
    'zone',
    { name: 'www', type: 'A', ttl: 300, values: [{ content: '192.0.2.1' }] },
    namespace,
  );
  await become('object_conditions{kind="DNSRecord",condition="Ready",status="True"}', (value) => value === 1);
  await become('propagation_duration_seconds_count', (value) => value >= 2);
  const last = await scrape();
  expect(last.get('zonestead_service_requests_total{method="POST",code="200"}')).toBeGreaterThanOrEqual(2);
  expect(last.get('zonestead_controller_reconcile_total{controller="records",result="success"}')).toBeGreaterThan(0);
  expect(last.get('zonestead_pace_wait_duration_seconds_count{lane="create"}')).toBeGreaterThanOrEqual(2);
  // An address of a name server has a series from its first query on.
  const address = 'zonestead_name_server_unreachable{address="127.0.0.1"}';
  expect([...last.keys()].filter((name) => !first.has(name))).toEqual([address]);
  expect([...last.keys()].filter((name) => name.includes(namespace) || name.includes(zoneName))).toEqual([]);
});

test('the operator logs in JSON, with an id that is also the request id in the history of the service', async () => {
  const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const rows = await chain.sql<{ requestId: string; action: string }[]>`
    select request_id as "requestId", action from changes where action in ('zone.create', 'record.create')`;
  expect(rows.length).toBeGreaterThanOrEqual(3);
  for (const { requestId, action } of rows) {
    const told = lines.find((line) => line.reconcileId === requestId && line.msg === 'written');
    expect(told).toMatchObject({
      level: 'info',
      key: expect.stringMatching(/^cell-\d+\/(zone|www)$/),
      controller: action === 'zone.create' ? 'zones' : 'records',
      write: expect.any(String),
    });
  }
  expect(log.join('')).not.toContain(chain.key);
});
