// The fault matrix, fifth part: changes of the Secret that contains a zone's own API key, while objects are created,
// changed and deleted. The operator reads a Secret again every second here, not every ten, and the cells run
// concurrently.

import { afterAll, describe, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { SECRET } from '#kube/objects/secrets.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { type Cell, CREATING, WORKS, type Work } from '../../support/matrix/cell.ts';
import { type Chain, startChain } from '../../support/matrix/chain.ts';
import { inconsistencies, reasonOfReady } from '../../support/matrix/invariants.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startOperator } from '../../support/matrix/operator.ts';
import type { TestKey } from '../../support/service/keys.ts';
import { untilIs } from '../../support/time/until.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLE: ResourceType = { ...RBAC, plural: 'roles', kind: 'Role' };
const BINDING: ResourceType = { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding' };
const NAME = 'team-key';
const ME = { fieldManager: 'test' };

const own = await startChain();
const operator = startOperator(own, { credentialsMs: 1_000 });
afterAll(() => operator.stop());

/** The chain, whose zones bring their own key. */
const chain: Chain = {
  ...own,
  zone: (name, spec, namespace) => own.zone(name, { ...spec, credentialsSecretRef: { name: NAME } }, namespace),
};

const put = (namespace: string, data: Record<string, string>) =>
  own.api.apply(SECRET, { metadata: { namespace, name: NAME }, stringData: data }, ME);

async function allow(namespace: string): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [NAME], verbs: ['get'] }];
  await own.api.apply(ROLE, { metadata: { namespace, name: NAME }, rules }, ME);
  const roleRef = { apiGroup: RBAC.group, kind: 'Role', name: NAME };
  const subjects = [{ kind: 'User', apiGroup: RBAC.group, name: 'zonestead-operator' }];
  await own.api.apply(BINDING, { metadata: { namespace, name: NAME }, roleRef, subjects }, ME);
}

const revoke = ({ id }: TestKey) => own.sql`update api_keys set revoked_at = now() where id = ${id}`;

async function isUsed({ id }: TestKey): Promise<boolean> {
  const [row] = await own.sql<{ used: boolean }[]>`
    select last_used_at is not null as used from api_keys where id = ${id}`;
  return row?.used === true;
}

interface Fault {
  /** The reason of Ready of the zone. */
  readonly reason: NotReadyReason;
  strike(cell: Cell): Promise<unknown>;
}

/** Each goes with the end of the key that was in use, or an operator would not look for another one. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'is gone': { reason: 'CredentialsMissing', strike: ({ namespace }) => own.remove(SECRET, NAME, namespace) },
  'has no key in it': {
    reason: 'CredentialsMissing',
    strike: async ({ namespace }) => {
      await own.remove(SECRET, NAME, namespace);
      await put(namespace, { somethingElse: 'yk_1_2' });
    },
  },
  'holds a key that the service does not know': {
    reason: 'CredentialsRejected',
    strike: ({ namespace }) => put(namespace, { apiKey: 'yk_000000000000_wrong' }),
  },
  'holds text that cannot be a key': {
    reason: 'CredentialsMissing',
    strike: ({ namespace }) => put(namespace, { apiKey: 'two\nlines' }),
  },
  'holds a key of another team': {
    reason: 'CredentialsWrongTeam',
    strike: async ({ namespace }) => put(namespace, { apiKey: (await own.mint('somebody-else')).text }),
  },
  'may not be read any more': {
    reason: 'CredentialsNotReadable',
    strike: ({ namespace }) => own.remove(BINDING, NAME, namespace),
  },
};

/** With a key of another team from the beginning the zone is that team's: not a fault. */
const faultsOf = (work: Work) => Object.entries(FAULTS).filter(([title]) => work !== CREATING || !/team/.test(title));

async function begin(work: Work): Promise<{ cell: Cell; key: TestKey }> {
  const cell = await matrix.newCell();
  const key = await own.mint();
  await allow(cell.namespace);
  await put(cell.namespace, { apiKey: key.text });
  await work.given(chain, cell);
  await matrix.consistent(cell, 'given');
  return { cell, key };
}

/** Healing counts from the moment at which the Secret holds a good key again. */
const matrix = openMatrix(own);

async function end(title: string, cell: Cell, work: Work): Promise<void> {
  cell.history = work.history;
  matrix.add(title, await matrix.healed(cell, work.title));
  await matrix.cleanUp(cell);
}

/** Has the operator look at the zone: a DNSZone that is Ready is not looked at when its Secret changes. */
const touchZone = ({ namespace }: Cell) =>
  own.api.merge(DNS_ZONE, { namespace, name: 'zone' }, { metadata: { annotations: { looked: 'at' } } });

describe.concurrent.each(WORKS)('while $title', (work) => {
  test.concurrent.each(faultsOf(work))(
    `while ${work.title}, a Secret that %s is waited for, and all ends well`,
    async (title, fault) => {
      const { cell, key } = await begin(work);
      await Promise.all([fault.strike(cell), revoke(key)]);
      await work.act(chain, cell);
      await touchZone(cell);
      const reason = () => reasonOfReady(own, cell, 'zones');
      await untilIs(`Ready of the zone to say ${fault.reason}`, reason, (is) => is === fault.reason);
      expect(await inconsistencies(own, cell)).not.toEqual([]);
      const next = await own.mint();
      await Promise.all([put(cell.namespace, { apiKey: next.text }), allow(cell.namespace)]);
      await end(title, cell, work);
    },
  );

  test.concurrent(`while ${work.title}, a key that is rotated is replaced silently`, async () => {
    const { cell, key } = await begin(work);
    const next = await own.mint();
    await put(cell.namespace, { apiKey: next.text });
    await revoke(key);
    await work.act(chain, cell);
    await untilIs(
      'the next key to be used',
      () => isUsed(next),
      (is) => is,
    );
    await end('is rotated', cell, work);
  });
});

test('a deletion whose key was revoked says so, and ends with the next key in the Secret', async () => {
  const cell = await matrix.newCell();
  const { namespace, zoneName } = cell;
  const key = await own.mint();
  await allow(namespace);
  await put(namespace, { apiKey: key.text });
  await chain.zone('zone', { zoneName }, namespace);
  await chain.record('www', 'zone', { name: 'www', type: 'A', ttl: 300, content: '192.0.2.1' }, namespace);
  await matrix.consistent(cell);
  await revoke(key);
  const ready = async () => {
    const { status } = await own.api.get<DNSZone>(DNS_ZONE, { namespace, name: 'zone' });
    const found = status?.conditions.find(({ type }) => type === 'Ready');
    return `${found?.reason}: ${found?.message}`;
  };
  // The object of the record is gone, so that its zone must say why the record is still there.
  await own.remove(DNS_RECORD, 'www', namespace);
  await untilIs('the zone to name the key', ready, (is) => is.startsWith('CredentialsRejected: '));
  const [zone] = await fetchZones(own.client, { zoneName });
  expect(await fetchRecords(own.client, zone?.id ?? '', {})).toHaveLength(1);
  await own.remove(DNS_ZONE, 'zone', namespace);
  await untilIs('the zone to say that it waits', ready, (is) => /^CredentialsRejected: .*cannot delete/.test(is));
  expect(await fetchZones(own.client, { zoneName })).toHaveLength(1);
  await put(namespace, { apiKey: (await own.mint()).text });
  await matrix.cleanUp(cell);
});

matrix.declareEnd();
