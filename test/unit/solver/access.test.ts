// The right to use the solver: kube-apiserver decides, and the solver caches its answer for 10 s for that one user.
import { expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { createAccess } from '#solver/access.ts';
import type { User } from '#solver/front-proxy.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const CERT_MANAGER: User = { username: 'cert-manager', groups: ['system:authenticated'], extra: {} };
const { signal } = new AbortController();

/** Starts a kube-apiserver that permits the users of these groups. */
function start(permitted: readonly string[] = ['system:authenticated']) {
  const clock = new FakeClock();
  const server = { permitted, asked: [] as object[], failure: null as Error | null };
  const create = async (_type: unknown, { spec }: { spec: { groups: string[] } }) => {
    server.asked.push(spec);
    if (server.failure) throw server.failure;
    return { status: { allowed: spec.groups.some((group) => server.permitted.includes(group)) } };
  };
  const mayCreate = createAccess({ create } as unknown as KubeApi, clock);
  return { clock, server, may: (user: User) => mayCreate(user, signal) };
}

test('the solver asks with the name, groups, uid and extra fields of the user for the right to create a ChallengePayload', async () => {
  const { server, may } = start();
  const user = { ...CERT_MANAGER, uid: 'u', extra: { scopes: ['a'] } };
  expect(await may(user)).toBe(true);
  expect(server.asked).toEqual([
    {
      user: 'cert-manager',
      groups: ['system:authenticated'],
      uid: 'u',
      extra: { scopes: ['a'] },
      resourceAttributes: {
        group: 'acme.zonestead.dev',
        version: 'v1alpha1',
        resource: 'zonestead',
        verb: 'create',
      },
    },
  ]);
});

test('an answer is cached for 10 s, so that a withdrawn right ends after that time', async () => {
  const { clock, server, may } = start();
  expect(await may(CERT_MANAGER)).toBe(true);
  server.permitted = [];
  await clock.advance(9_999);
  expect(await may(CERT_MANAGER)).toBe(true);
  expect(server.asked).toHaveLength(1);
  await clock.advance(1);
  expect(await may(CERT_MANAGER)).toBe(false);
});

test('an answer that refuses is cached as long, so that a new right counts after that time', async () => {
  const { clock, server, may } = start([]);
  expect(await may(CERT_MANAGER)).toBe(false);
  server.permitted = ['system:authenticated'];
  expect(await may(CERT_MANAGER)).toBe(false);
  await clock.advance(10_000);
  expect(await may(CERT_MANAGER)).toBe(true);
});

test.each([
  ['groups', { groups: ['system:authenticated', 'others'] }],
  ['uid', { uid: 'another' }],
  ['extra fields', { extra: { scopes: ['less'] } }],
  ['name', { username: 'somebody' }],
])('an answer is never used for a user with other %s', async (_what, change) => {
  const { server, may } = start();
  await may(CERT_MANAGER);
  server.permitted = [];
  expect(await may({ ...CERT_MANAGER, ...change })).toBe(false);
  expect(server.asked).toHaveLength(2);
});

test('an answer that fails is an error and is not cached', async () => {
  const { server, may } = start();
  server.failure = new KubeError({ status: 500, reason: 'InternalError', message: 'down' });
  await expect(may(CERT_MANAGER)).rejects.toThrow('down');
  server.failure = null;
  expect(await may(CERT_MANAGER)).toBe(true);
});

test('an answer is cached for a bounded number of users', async () => {
  const { server, may } = start();
  for (let n = 0; n <= 1_000; n++) await may({ ...CERT_MANAGER, username: `user-${n}` });
  await may({ ...CERT_MANAGER, username: 'user-1000' });
  expect(server.asked).toHaveLength(1_001);
  await may({ ...CERT_MANAGER, username: 'user-0' });
  expect(server.asked).toHaveLength(1_002);
});

test('the solver does not ask for members of system:masters, because RBAC never refuses them', async () => {
  const { server, may } = start([]);
  expect(await may({ ...CERT_MANAGER, groups: ['system:masters'] })).toBe(true);
  expect(server.asked).toEqual([]);
});
