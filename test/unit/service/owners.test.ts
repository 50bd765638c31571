// The zones that the key of an app account or of a person can see, the owner of a new zone, and the rights of a
// restricted key.
import { expect, test } from 'vitest';
import type { RecordType } from '#dns/types/index.ts';
import {
  type Actor,
  maySee,
  mustReadWholeZone,
  mustWriteRecord,
  readableOnly,
  sameOwner,
  teamsOfActor,
} from '#service/accounts/actor.ts';
import { mustNotBePublic, ownerFor } from '#service/zones/owner.ts';
import { testActor } from '../../support/service/actor.ts';

const app: Actor = testActor({
  keyId: 'k',
  keyName: 'test',
  teamId: 'team_a',
  teamName: 'a',
  records: 'write',
  manageZones: 'write',
});
const person: Actor = {
  ...app,
  teamId: null,
  teamName: null,
  user: { id: 'user_1', email: 'a@example.org', name: 'A' },
  memberships: [
    { teamId: 'team_a', teamName: 'a', role: 'owner' },
    { teamId: 'team_b', teamName: 'b', role: 'member' },
  ],
};
const ofTeam = (teamId: string) => ({ id: 'zone_1', teamId, userId: null });
const ofPerson = (userId: string) => ({ id: 'zone_2', teamId: null, userId });

test('an app key sees the zones of its own team only, and no personal zone', () => {
  expect(maySee(app, ofTeam('team_a'))).toBe(true);
  expect(maySee(app, ofTeam('team_b'))).toBe(false);
  expect(maySee(app, ofPerson('user_1'))).toBe(false);
});

test('a person sees their own zones and the zones of their teams', () => {
  expect(teamsOfActor(person)).toEqual(['team_a', 'team_b']);
  expect(maySee(person, ofTeam('team_b'))).toBe(true);
  expect(maySee(person, ofTeam('team_c'))).toBe(false);
  expect(maySee(person, ofPerson('user_1'))).toBe(true);
  expect(maySee(person, ofPerson('user_2'))).toBe(false);
});

test('two people are different owners, although neither is a team', () => {
  expect(sameOwner(ofPerson('user_1'), ofPerson('user_2'))).toBe(false);
  expect(sameOwner(ofPerson('user_1'), ofPerson('user_1'))).toBe(true);
  expect(sameOwner(ofTeam('team_a'), ofPerson('team_a'))).toBe(false);
});

test('the owner of a new zone is the team of an app key, which must be named as "org:<teamId>"', () => {
  expect(ownerFor(app, 'org:team_a')).toEqual({ teamId: 'team_a', userId: null });
  for (const owner of [undefined, 'personal', 'team_a', 'org:team_b', 'org:', '']) {
    expect(() => ownerFor(app, owner)).toThrow('An app can only create zones in its own team');
  }
});

test('the owner of a new zone is the person, or a team of the person', () => {
  for (const owner of [undefined, 'personal']) {
    expect(ownerFor(person, owner)).toEqual({ teamId: null, userId: 'user_1' });
  }
  expect(ownerFor(person, 'org:team_b')).toEqual({ teamId: 'team_b', userId: null });
  expect(() => ownerFor(person, 'org:team_c')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(() => ownerFor(person, 'team_b')).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

test('the owner of a new zone cannot own a public suffix', () => {
  expect(() => mustNotBePublic('co.uk')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(() => mustNotBePublic('example.co.uk')).not.toThrow();
});

const acme: Actor = { ...app, onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] };
const write = (name: string, type: RecordType) => () => mustWriteRecord(acme, 'zone_1', { name, type });

test('a restricted key writes only records that match both restrictions', () => {
  expect(write('_acme-challenge.www', 'TXT')).not.toThrow();
  expect(write('_acme-challenge', 'CNAME')).toThrow('only write records of type TXT');
  expect(write('www', 'TXT')).toThrow('only write records named');
});

test('a restricted key reads only records that it may write, and no whole zone', () => {
  expect(readableOnly(app)).toBe(null);
  expect(readableOnly(acme)).toEqual({ names: ['\\_acme-challenge%'], types: ['TXT'] });
  expect(() => mustReadWholeZone(acme, 'zone_1')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(() => mustReadWholeZone(app, 'zone_1')).not.toThrow();
});
