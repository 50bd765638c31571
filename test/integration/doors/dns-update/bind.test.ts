// The same scripts of nsupdate against BIND and the service: the same response codes, and the same zone afterwards.
import { expect, test } from 'vitest';
import type { DnsRecord } from '#contract/record.ts';
import { updateKey } from '../../../support/doors/dns-update/client.ts';
import { recordText, runScript, startPrimary } from '../../../support/doors/dns-update/primary.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';
import { buildScript, SCENARIOS } from './scripts.support.ts';

const ZONE = 'matrix.example';
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' }, nameserver: false });
const key = await updateKey(service);
const bind = await startPrimary([ZONE], key, NAMESERVERS);
const zone = await service.zone(ZONE);

test('a script of nsupdate has the same response codes as with BIND, and leaves the same zone', async () => {
  const scripts = SCENARIOS.map((scenario, index) => buildScript(scenario, `s${index}.${ZONE}`));
  const [ours, theirs] = await Promise.all(
    [service.updatePort(), bind.port].map((port) => runScript('nsupdate', { port, key, zone: ZONE }, scripts.flat())),
  );
  const [codes, model] = [named(ours), named(theirs)];
  expect(codes).toEqual(model);
  expect(new Set(Object.values(model).flat())).toEqual(
    new Set(['NOERROR', 'NXDOMAIN', 'YXDOMAIN', 'NXRRSET', 'YXRRSET', 'NOTZONE']),
  );
  expect(await recordsHere()).toEqual(await bind.records(ZONE));
});

/** The response codes of each scenario. */
function named(statuses: readonly string[] = []): Record<string, string[]> {
  let at = 0;
  const entries = SCENARIOS.map(({ name, before }): [string, string[]] => {
    const count = before.length === 0 ? 1 : 2;
    at += count;
    return [name, statuses.slice(at - count, at)];
  });
  expect(at).toBe(statuses.length);
  return Object.fromEntries(entries);
}

async function recordsHere(): Promise<string[]> {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`);
  return (body as { records: DnsRecord[] }).records
    .map(({ name, ttl, type, content, priority }) => {
      const absolute = name === '@' ? `${ZONE}.` : `${name}.${ZONE}.`;
      return recordText(absolute, ttl, type, priority === null ? content : `${priority} ${content}`);
    })
    .sort();
}
