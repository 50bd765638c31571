// An actor for tests of rules: an app key without any right, changed as a test needs it.
import type { Actor } from '#service/accounts/actor.ts';

export function testActor(change: Partial<Actor> = {}): Actor {
  return {
    keyId: 'k1',
    keyName: 'key',
    teamId: 'team_1',
    teamName: 'team',
    user: null,
    memberships: [],
    records: 'none',
    manageZones: 'none',
    clusters: 'none',
    signals: [],
    grants: new Map(),
    onlyNames: null,
    onlyTypes: null,
    expiresAt: null,
    zoneWrites: null,
    recordWrites: null,
    ...change,
  };
}
