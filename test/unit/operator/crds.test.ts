// The look at the CRD of a kind, before objects that are gone leave DNS.
import { expect, test } from 'vitest';
import { KubeError } from '#kube/api/errors.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { createKindCheck } from '#operator/access/crds.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { createLogger } from '#telemetry/log.ts';

const { signal } = new AbortController();
const failed = (status: number) => new KubeError({ status, reason: 'Test', message: `answered ${status}` });

/** @param answer the deletionTimestamp of the CRD, or an error */
function check(answer: () => string | undefined | Error) {
  const asked: string[] = [];
  const lines: string[] = [];
  const get = async (_type: ResourceType, { name }: { name: string }) => {
    asked.push(name);
    await Promise.resolve();
    const found = answer();
    if (found instanceof Error) throw found;
    return { metadata: { name, deletionTimestamp: found } };
  };
  const log = createLogger({
    name: 'test',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { asked, lines, isDeleted: createKindCheck({ get: get as never }, log) };
}

test.each([
  ['when its CRD is being deleted', '2026-11-23T10:00:00Z', true],
  ['when its CRD is gone', failed(404), true],
  ['never while its CRD is there', undefined, false],
])('the answer that a kind is deleted comes %s', async (_when, answer, expected) => {
  const { asked, isDeleted } = check(() => answer);
  expect(await isDeleted(DNS_ZONE, signal)).toBe(expected);
  expect(asked).toEqual(['dnszones.zonestead.dev']);
});

test('the answer that a kind is deleted never comes without the right to look, which the log says once', async () => {
  const { lines, isDeleted } = check(() => failed(403));
  expect([await isDeleted(DNS_ZONE, signal), await isDeleted(DNS_RECORD, signal)]).toEqual([false, false]);
  expect(lines).toEqual([expect.stringContaining('no right to get the CRD')]);
});

test('many looks make two requests: those that come during the first one share the second, because it begins after them', async () => {
  let deletedAt: string | undefined;
  const { asked, isDeleted } = check(() => deletedAt);
  const first = isDeleted(DNS_RECORD, signal);
  const later = Array.from({ length: 100 }, () => isDeleted(DNS_RECORD, signal));
  expect(await first).toBe(false);
  deletedAt = '2026-11-23T10:00:00Z';
  expect(new Set(await Promise.all(later))).toEqual(new Set([true]));
  expect(asked).toHaveLength(2);
});

test('many looks continue after one that failed, and each kind has its own', async () => {
  const answers = [failed(500), undefined, undefined];
  const { asked, isDeleted } = check(() => answers.shift());
  const [first, second, other] = [
    isDeleted(DNS_RECORD, signal),
    isDeleted(DNS_RECORD, signal),
    isDeleted(DNS_ZONE, signal),
  ];
  await expect(first).rejects.toThrow('answered 500');
  expect([await second, await other]).toEqual([false, false]);
  expect(asked).toEqual(['dnsrecords.zonestead.dev', 'dnszones.zonestead.dev', 'dnsrecords.zonestead.dev']);
});
