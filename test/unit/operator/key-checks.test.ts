// spec.keyRollover of a DNSZone, between a cluster and a service in memory: rolls, the status, and Events.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { diagnoseObject } from '#diagnosis/object.ts';
import { judgeConditions } from '#diagnosis/object-checks.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { STUCK_MS } from '#operator/zone/key-status.ts';
import { EXISTING_ZONES } from '#resources/names.ts';
import { whySections } from '../../../src/cli/kubectl/why.ts';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';
import { refused } from '../../support/operator/memory-service.ts';

const ZONE = 'default/example';
const TEN_MINUTES = 11 * 60_000;

async function zone(spec: object = {}): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', ...spec });
  await on.settle();
  return on;
}
const object = (on: Bench) => {
  const found = on.cluster.zone(ZONE);
  if (found === undefined) throw new Error('no DNSZone');
  return found;
};
const idOf = (on: Bench) => [...on.service.zones.keys()][0] ?? '';
const condition = (on: Bench) => findCondition(object(on).status?.conditions, 'KeysRolling');
const begun = (on: Bench) => on.faults.calls.filter((call) => call.startsWith('api roll')).length;
const states = (on: Bench) => object(on).status?.keys?.map(({ algorithm, state }) => `${algorithm} ${state}`);
const rollEvents = (on: Bench) =>
  on.events.filter(({ reason }) => reason.startsWith('KeyRoll')).map(({ type, reason }) => `${type} ${reason}`);
const request = async (on: Bench, more: object = {}) => {
  const requestedAt = new Date(Date.UTC(2026, 10, 21, 12) + on.clock.now()).toISOString();
  on.cluster.edit(DNS_ZONE, ZONE, { keyRollover: { requestedAt, ...more } });
  await on.settle();
};
const later = async (on: Bench, ms = TEN_MINUTES) => {
  await on.clock.advance(ms);
  await on.settle();
};

test('a zone that asks for no roll shows its key, and has no condition about it', async () => {
  const on = await zone();
  expect(states(on)).toEqual(['13 Active']);
  expect(object(on).status).not.toHaveProperty('keyRoll');
  expect(condition(on)).toBeUndefined();
  expect(rollEvents(on)).toEqual([]);
});

test('a request begins one roll, also over restarts, and the status and the Events follow its steps', async () => {
  const on = await zone();
  await later(on);
  await request(on);
  expect(states(on)).toEqual(['13 Active', '13 Published']);
  expect(condition(on)).toMatchObject({ status: 'True', reason: 'RollUnderWay' });
  expect(condition(on)?.message).toMatch(
    /^Key \d+ is Published since .*Z\. The roll waits for ns1\.zonestead\.test, without/,
  );
  on.service.keys.step(idOf(on));
  on.restart();
  await later(on);
  expect(object(on).status?.keyRoll).toMatchObject({ step: 'Ready' });
  expect(condition(on)?.message).toContain('The parent zone must have the DS records of status.ds and no others.');
  on.service.keys.finish(idOf(on));
  await later(on);
  on.restart();
  await later(on);
  expect([states(on), condition(on)?.status, condition(on)?.reason]).toEqual([['13 Active'], 'False', 'NotRolling']);
  expect(rollEvents(on)).toEqual(['Normal KeyRollBegun', 'Normal KeyRollStep', 'Normal KeyRollFinished']);
  expect(on.events.find(({ reason }) => reason === 'KeyRollBegun')?.note).toContain(
    '(ECDSAP256SHA256) has begun, because spec.keyRollover.requestedAt asks for it. Key ',
  );
  expect(object(on).status).not.toHaveProperty('keyRoll');
  expect(on.ready(object(on))).toBe('True Ready');
});

test('an object that is deleted and applied again begins no second roll for its request', async () => {
  const on = await zone({ deletionPolicy: 'Retain' });
  await later(on);
  await request(on);
  on.service.keys.finish(idOf(on));
  await later(on);
  const { keyRollover } = object(on).spec;
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.cluster.zone(ZONE)).toBeUndefined();
  on.cluster.create(NAMESPACE, { namespace: '', name: 'default', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  on.restart();
  const spec = { zoneName: 'example.org', adopt: 'IfIdentical', keyRollover };
  on.cluster.create(DNS_ZONE, { name: 'example' }, spec);
  await on.settle();
  await later(on);
  expect([states(on), condition(on)?.reason, begun(on)]).toEqual([['13 Active'], 'NotRolling', 0]);
});

test('a look that sees nothing new writes no status, and a roll is looked at more often than a zone without', async () => {
  const on = await zone();
  const idle = await on.run('zone', ZONE);
  expect(idle.result?.requeueAfterMs).toBeGreaterThan(5 * 60_000);
  await later(on);
  await request(on);
  on.faults.arm(null);
  for (let look = 0; look < 20; look += 1) {
    await on.clock.advance(30_000);
    await on.run('zone', ZONE);
  }
  expect(on.faults.calls.filter((call) => call.startsWith('api keys')).length).toBeGreaterThan(3);
  expect(on.faults.calls.filter((call) => call.startsWith('kube'))).toEqual([]);
  const { result } = await on.run('zone', ZONE);
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(5 * 60_000);
});

test('a cancelled roll does not begin again until a later request, and the condition and an Event say so', async () => {
  const on = await zone();
  await later(on);
  await request(on);
  on.service.keys.step(idOf(on));
  await later(on);
  on.service.keys.cancel(idOf(on));
  await later(on);
  expect(states(on)).toEqual(['13 Active', '13 Withdrawn']);
  on.service.keys.finish(idOf(on));
  await later(on);
  on.restart();
  on.faults.arm(null);
  await later(on);
  expect([states(on), begun(on), condition(on)?.reason]).toEqual([['13 Active'], 0, 'RollCancelled']);
  expect(condition(on)?.message).toMatch(/^A person cancelled the key roll at .*Z, and spec\.keyRollover does not/);
  expect(rollEvents(on)).toEqual([
    ...['Normal KeyRollBegun', 'Normal KeyRollStep', 'Normal KeyRollCancelled', 'Normal KeyRollStep'],
  ]);
  const { problems } = diagnoseObject({ object: object(on), named: [] } as never);
  expect(problems).toMatchObject([{ subject: 'key', level: 'warn' }]);
  await later(on);
  await request(on);
  expect([states(on), begun(on)]).toEqual([['13 Active', '13 Published'], 1]);
});

test('another algorithm begins one roll, and later rolls keep the algorithm', async () => {
  const on = await zone({ keyRollover: { algorithm: 'ED25519' } });
  expect(states(on)).toEqual(['13 Active', '15 Presigning']);
  on.service.keys.finish(idOf(on));
  await later(on);
  expect([states(on), begun(on)]).toEqual([['15 Active'], 1]);
  await later(on);
  await request(on);
  expect(states(on)).toEqual(['15 Active', '15 Published']);
});

test('a key is replaced at the age of every, and the condition says when', async () => {
  const on = await zone({ keyRollover: { every: '30d' } });
  expect(condition(on)?.message).toMatch(/^No key roll is under way\. The next one begins at 2026-12-21T/);
  await later(on, 29 * 86_400_000);
  expect(begun(on)).toBe(0);
  await later(on, 86_400_000);
  expect(states(on)).toEqual(['13 Active', '13 Published']);
});

test('a step that waits for three days is a Warning, and kubectl zonestead why names what it waits for', async () => {
  const on = await zone();
  await later(on);
  await request(on);
  on.service.keys.step(idOf(on));
  on.service.keys.waitsFor = 'ns1.parent.example of org, which has the DS record of the key 1';
  await later(on, STUCK_MS - TEN_MINUTES);
  expect(condition(on)?.reason).toBe('RollUnderWay');
  const why = () => JSON.stringify(whySections({ object: object(on), named: [] } as never));
  expect(why()).toContain('which has the DS record of the key 1');
  expect(why()).toContain('Give the parent zone these DS records and no others.');
  expect(judgeConditions(object(on)).find((each) => each.condition.type === 'KeysRolling')?.isGood).toBe(true);
  await later(on);
  await later(on);
  expect(condition(on)).toMatchObject({ status: 'True', reason: 'RollWaits' });
  expect(rollEvents(on)).toEqual(['Normal KeyRollBegun', 'Normal KeyRollStep', 'Warning KeyRollWaits']);
  expect(on.ready(object(on))).toBe('True Ready');
  expect(why()).toContain('The key roll of example.org needs attention: Key ');
  expect(judgeConditions(object(on)).find((each) => each.condition.type === 'KeysRolling')).toMatchObject({
    ...{ isGood: false, remedy: expect.stringContaining('repair the server that the message names') },
  });
});

test('the time after which a step is reported is that of the alert', async () => {
  const alerts = await readFile('charts/zonestead/files/alerts/api.yaml', 'utf8');
  expect(alerts).toContain(`key_roll_step_seconds) > ${STUCK_MS / 86_400_000} * 86400`);
});

test('a refusal of the service is a reason, and nothing else of the zone is affected', async () => {
  const on = await zone();
  await later(on);
  on.service.gate = (call) =>
    call.startsWith('roll') ? refused(403, 'forbidden', 'This API key cannot manage zones.') : null;
  await request(on);
  expect(condition(on)).toMatchObject({ status: 'False', reason: 'RollRefused' });
  expect(condition(on)?.message).toContain('This API key cannot manage zones.');
  expect(rollEvents(on)).toEqual(['Warning KeyRollRefused']);
  expect(on.ready(object(on))).toBe('True Ready');
  on.service.gate = () => null;
  await later(on);
  expect(states(on)).toEqual(['13 Active', '13 Published']);
});

test('a roll that another client began a moment ago is the roll', async () => {
  const on = await zone();
  await later(on);
  on.service.gate = (call) => {
    if (call.startsWith('roll') && on.service.keys.view(idOf(on)).roll === null) on.service.keys.begin(idOf(on));
    return null;
  };
  await request(on);
  expect(states(on)).toEqual(['13 Active', '13 Published']);
  expect(condition(on)?.reason).toBe('RollUnderWay');
});

test('no roll begins while a name server does not answer, and none of an older object or an observed zone', async () => {
  const on = await zone();
  await later(on);
  on.outage = 'ns1 does not answer';
  const requestedAt = new Date(Date.UTC(2026, 10, 21, 12) + on.clock.now()).toISOString();
  on.cluster.edit(DNS_ZONE, ZONE, { keyRollover: { requestedAt } });
  await on.settle();
  expect(begun(on)).toBe(0);
  on.outage = null;
  on.isEtcdRestored = true;
  await later(on);
  expect(begun(on)).toBe(0);
  expect(condition(on)?.message).toContain('when the zone is Ready');
  on.isEtcdRestored = false;
  await later(on);
  expect(begun(on)).toBe(1);
});

test('the status of a roll follows while a name server does not answer', async () => {
  const on = await zone();
  await later(on);
  await request(on);
  on.outage = 'ns1 does not answer';
  on.service.keys.waitsFor = 'ns1.zonestead.test, which does not answer: timeout';
  await later(on);
  expect(object(on).status?.keyRoll?.waitsFor).toBe('ns1.zonestead.test, which does not answer: timeout');
});

test('a status that another write prevented is written by the next run', async () => {
  const on = await zone();
  await later(on);
  const requestedAt = new Date(Date.UTC(2026, 10, 21, 12) + on.clock.now()).toISOString();
  on.cluster.edit(DNS_ZONE, ZONE, { keyRollover: { requestedAt } });
  // The news of a new generation is written first; the next run begins the roll.
  await on.run('zone', ZONE);
  on.service.gate = (call) => {
    if (call.startsWith('roll')) on.cluster.annotate(DNS_ZONE, ZONE, { look: 'again' });
    return null;
  };
  expect((await on.run('zone', ZONE)).error).toMatchObject({ status: 409 });
  expect(states(on)).toEqual(['13 Active']);
  await on.run('zone', ZONE);
  expect([states(on), begun(on)]).toEqual([['13 Active', '13 Published'], 1]);
  expect(rollEvents(on)).toContain('Normal KeyRollBegun');
});
