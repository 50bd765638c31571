// The answer to a heartbeat tells the sets of the cluster whose records another client changed, to keys with a right
// there only.
import { expect, test } from 'vitest';
import { clusterApi } from '../../../support/service/clusters.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, admin, sql } = service;
const { send } = clusterApi(service);
let count = 0;

const a = (owner: string, values: string[], more: object = {}) => ({
  ...{ owner, name: 'www', type: 'A', values: values.map((content) => ({ content })) },
  ...more,
});

async function newZone(key = admin) {
  count += 1;
  const cluster = `east-${count}`;
  const { id } = await service.zone(`changed-${count}.example`, key);
  const apply = async (...sets: object[]) => {
    const { body } = await request('POST', `/zones/${id}/records:apply`, { sets }, key.text);
    return (body.results as { records: { id: string }[] }[]).flatMap(({ records }) => records.map((each) => each.id));
  };
  const told = async (name = cluster, by = key) => {
    // A second key has the name of a cluster only if it speaks for the same Kubernetes cluster.
    const { status, body } = await send(by, 'PUT', `/${name}?instance=one`);
    expect(status).toBe(200);
    return (body.changed as { change: number; zoneId: string; owner: string; by: string }[]).filter(
      ({ zoneId }) => zoneId === id,
    );
  };
  const path = `/zones/${id}/records`;
  const put = (record: string, content: string, by = key, more: object = {}) =>
    request('PUT', `${path}/${record}`, { name: 'www', type: 'A', content, ...more }, by.text);
  return { id, cluster, apply, told, path, put, www: `k8s:${cluster}/default/www` };
}

test('a heartbeat tells an update and a deletion by another client, and by which key', async () => {
  const { apply, told, path, put, www, id } = await newZone();
  const [one = '', two = ''] = await apply(a(www, ['192.0.2.1', '192.0.2.2']));
  expect(await told()).toEqual([]);
  const ci = await service.key({});
  expect((await put(one, '192.0.2.66', ci)).status).toBe(200);
  const [first] = await told();
  expect(first).toEqual({ change: expect.any(Number), zoneId: id, owner: www, by: `key test (${ci.id})` });
  // The answer may be lost, so it is told again; the number of the change is the same.
  expect(await told()).toEqual([first]);
  expect((await request('DELETE', `${path}/${two}`)).status).toBe(204);
  const [second, ...others] = await told();
  expect(second?.change).toBeGreaterThan(first?.change ?? 0);
  expect(others).toEqual([first]);
});

test('owners, other clusters, sets that ignore changes and records without an owner are not told', async () => {
  const { apply, told, put, path, www, cluster } = await newZone();
  const [one = ''] = await apply(a(www, ['192.0.2.1']));
  const [ignored = ''] = await apply(a(`k8s:${cluster}/default/i`, ['192.0.2.3'], { name: 'i', drift: 'Ignore' }));
  await put(ignored, '192.0.2.67', admin, { name: 'i' });
  const { body } = await request('POST', path, { name: 'free', type: 'A', content: '192.0.2.9' });
  await request('DELETE', `${path}/${body.id}`);
  await apply(a(www, ['192.0.2.2']));
  expect(await told()).toEqual([]);
  await put(one, '192.0.2.66');
  expect(await told(`${cluster}-other`)).toEqual([]);
  expect(await told()).toHaveLength(1);
});

test('a zone file that replaces the records is told as well', async () => {
  const { id, apply, told, www } = await newZone();
  await apply(a(www, ['192.0.2.1']));
  const file = 'www 300 IN A 192.0.2.77\n';
  const { status } = await request('PUT', `/zones/${id}/zonefile`, file, admin.text, { 'content-type': 'text/dns' });
  expect(status).toBe(200);
  expect((await told()).map(({ owner }) => owner)).toEqual([www]);
});

test('a key learns of changes of records that it may write, in the zones of its own team', async () => {
  const { apply, told, put, www, cluster, id } = await newZone();
  const [one = ''] = await apply(a(www, ['192.0.2.1']));
  await put(one, '192.0.2.66');
  const others = await service.key({ onlyNames: ['api'] });
  const granted = await service.key({ records: 'none', manageZones: 'none', grants: { [id]: 'write' } });
  const elsewhere = await service.key({ grants: { [id]: 'read' } });
  const stranger = await service.key({ team: 'second' });
  expect(await told(cluster, granted)).toHaveLength(1);
  expect(await told(cluster, others)).toEqual([]);
  expect(await told(cluster, elsewhere)).toEqual([]);
  expect(await told(cluster, stranger)).toEqual([]);
});

test('a change is told for a minute, and a busy team costs the same: 100 changes are looked at', async () => {
  const { id, apply, told, put, www } = await newZone();
  const [one = ''] = await apply(a(www, ['192.0.2.1']));
  await put(one, '192.0.2.66');
  await sql`update changes set at = now() - interval '61 seconds' where zone_id = ${id}`;
  expect(await told()).toEqual([]);
  const plan = await sql.unsafe(`explain (format json) select id from changes
    where coalesce(team_id, user_id) = 'x' and owner is null and action in ('record.update', 'record.delete')
    order by id desc limit 100`);
  // The index of each month has these changes alone, in this order: nothing is filtered out, and nothing is sorted.
  expect(JSON.stringify(plan)).toContain('"Node Type":"Index Scan"');
  expect(JSON.stringify(plan)).not.toMatch(/"Filter"|"Seq Scan"|"Sort"/);
});
