// A program of a user who generated a client from the OpenAPI document. The test copies this file next to `client/`,
// the generated client. It makes the same calls as main.go with the client for Go.

import { createClient, createConfig } from './client/client/index';
import {
  createRecord,
  createZone,
  deleteRecord,
  deleteZone,
  getZone,
  listRecords,
  listZoneChanges,
  type Error as Refusal,
} from './client/index';

export async function run(baseUrl: string, key: string, zoneName: string, owner: string): Promise<object> {
  const client = createClient(createConfig({ baseUrl, headers: { authorization: `Bearer ${key}` } }));
  const { data: zone } = await createZone({ client, body: { zoneName, owner }, throwOnError: true });
  const path = { id: zone.id };
  const body = { name: 'www', type: 'A', content: '192.0.2.1' };
  const { data: record } = await createRecord({ client, path, body: { ...body, ttl: 300 }, throwOnError: true });
  const { error: refused } = await createRecord({ client, path, body });
  const { data: list } = await listRecords({ client, path, throwOnError: true });
  const stale = { path: { ...path, recordId: record.id }, headers: { 'If-Match': '"another"' } };
  const { error: changed } = await deleteRecord({ client, ...stale });
  const { data: history } = await listZoneChanges({ client, path, throwOnError: true });
  const { response: deleted } = await deleteZone({ client, path });
  const { error: forgotten } = await getZone({ client, path });
  return {
    zone: zone.zoneName,
    record: `${record.name} ${record.ttl} ${record.type} ${record.content}`,
    records: list.records.map(({ name, type }) => `${name} ${type}`),
    refused: codeOf(refused),
    stale: codeOf(changed),
    changes: history.changes.length,
    deleted: deleted?.status,
    forgotten: codeOf(forgotten),
  };
}

function codeOf(error: Refusal | undefined): string | undefined {
  return error?.error;
}
