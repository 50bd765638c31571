// The plan of an import: new records, changes, and records that contradict those of the service.
import { expect, test } from 'vitest';
import { planSteps, type StoredRecord, toRecordChanges } from '#cli/import/plan.ts';
import { type FoundRecord, readSteps } from '#cli/import/read.ts';
import { parseZoneFileSource } from '#cli/import/sources/zone-file.ts';
import type { Steps } from '#dns/steps.ts';

const ZONE = 'moved.example';
const CONTEXT = { zone: ZONE, defaultTtl: 3600, children: [] };

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const found = (text: string): FoundRecord[] =>
  finish(readSteps(parseZoneFileSource('f', text, ZONE), { defaultTtl: 3600, children: [] })).records;
const stored = (id: string, name: string, type: string, content: string, more: Partial<StoredRecord> = {}) =>
  ({ id, name, type, content, ttl: 3600, priority: type === 'MX' ? 10 : null, ...more }) as StoredRecord;
const plan = (text: string, ...records: StoredRecord[]) =>
  finish(planSteps({ records: found(text) }, records, CONTEXT));

test('the plan creates records that the service does not have, and keeps those that it has', () => {
  const { create, update, unchanged, conflicts } = plan(
    'a A 192.0.2.1\na A 192.0.2.2\nm MX 10 mail\n',
    stored('rec_1', 'a', 'A', '192.0.2.1'),
    stored('rec_2', 'm', 'MX', 'mail.moved.example'),
    stored('rec_3', 'other', 'A', '192.0.2.9'),
  );
  expect(create.map(({ record }) => record.content)).toEqual(['192.0.2.2']);
  expect([update, unchanged.length, conflicts]).toEqual([[], 2, []]);
});

test('the plan changes the TTL alone, by the id of the record', () => {
  const changes = toRecordChanges(plan('a 60 A 192.0.2.1\n', stored('rec_1', 'a', 'A', '192.0.2.1', { ttl: 600 })));
  expect(changes).toEqual([
    { action: 'update', id: 'rec_1', record: { name: 'a', type: 'A', content: '192.0.2.1', ttl: 60 } },
  ]);
});

test('the plan compares a record without a TTL by the default of the zone', () => {
  expect(plan('a A 192.0.2.1\n', stored('rec_1', 'a', 'A', '192.0.2.1')).update).toEqual([]);
  expect(plan('a A 192.0.2.1\n', stored('rec_1', 'a', 'A', '192.0.2.1', { ttl: 60 })).update).toHaveLength(1);
});

test('the plan refuses a record that contradicts a record of the service, and names both', () => {
  const { create, conflicts } = plan(
    'www A 192.0.2.1\nb A 192.0.2.1\n',
    stored('rec_7', 'www', 'CNAME', 'host.example.net'),
  );
  expect(create.map(({ place }) => place)).toEqual(['line 2']);
  expect(conflicts).toEqual([{ place: 'line 1', message: expect.stringContaining('rec_7 of the service') }]);
});
