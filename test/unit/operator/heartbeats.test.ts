// The heartbeats of a cluster: one for each team, and what the operator learns from the answers.
import { expect, it } from 'vitest';
import type { Cluster } from '#client/client.ts';
import { ApiUnavailable } from '#client/errors.ts';
import { createHeartbeats } from '#operator/run/heartbeats.ts';
import { createLogger } from '#telemetry/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const log = createLogger({ name: 'test', level: 'silent' });

/** Keys by name, each of a team; a team may be drained, and a key may be refused. */
function setUp(keys: Readonly<Record<string, string>>, cluster: () => string | undefined = () => 'east') {
  const clock = new FakeClock();
  const sent: string[] = [];
  const drained = new Set<string>();
  const refused = new Set<string>();
  let changes = 0;
  const senders = Object.entries(keys).map(([key, team]) => ({
    owner: () => Promise.resolve(team),
    client: {
      clusters: {
        heartbeat: async (name: string) => {
          sent.push(`${key} ${name}`);
          if (refused.has(key)) throw new ApiUnavailable('no answer');
          return { state: drained.has(team) ? 'drained' : 'active' } as Cluster;
        },
      } as never,
    },
  }));
  const heartbeats = createHeartbeats({
    clock,
    log,
    cluster,
    senders: () => senders,
    onChange: () => {
      changes += 1;
    },
  });
  const end = new AbortController();
  void heartbeats.run(end.signal);
  return { clock, sent, drained, refused, heartbeats, changes: () => changes, end };
}

it('go to each team once every 10 s, with the newest key', async () => {
  const on = setUp({ old: 'org:a', other: 'org:b', new: 'org:a' });
  await on.clock.advance(0);
  expect(on.sent).toEqual(['new east', 'other east']);
  await on.clock.advance(10_000);
  expect(on.sent).toHaveLength(4);
  on.end.abort();
  await on.clock.advance(60_000);
  expect(on.sent).toHaveLength(4);
});

it('go with another key of the team if the service refuses one', async () => {
  const on = setUp({ old: 'org:a', new: 'org:a' });
  on.refused.add('new');
  await on.clock.advance(0);
  expect(on.sent).toEqual(['new east', 'old east']);
});

it('wait for the name of the cluster', async () => {
  let name: string | undefined;
  const on = setUp({ one: 'org:a' }, () => name);
  await on.clock.advance(10_000);
  expect(on.sent).toEqual([]);
  name = 'west';
  await on.clock.advance(10_000);
  expect(on.sent).toEqual(['one west']);
});

it('tell when a cluster is drained and restored, for the teams that it is drained for', async () => {
  const on = setUp({ one: 'org:a', two: 'org:b' });
  await on.clock.advance(0);
  on.drained.add('org:b');
  await on.clock.advance(10_000);
  expect([on.heartbeats.isDrained('org:a'), on.heartbeats.isDrained('org:b'), on.changes()]).toEqual([false, true, 1]);
  on.refused.add('two');
  await on.clock.advance(10_000);
  expect(on.heartbeats.isDrained('org:b')).toBe(true);
  on.refused.clear();
  on.drained.clear();
  await on.clock.advance(10_000);
  expect([on.heartbeats.isDrained('org:b'), on.changes()]).toEqual([false, 2]);
});
