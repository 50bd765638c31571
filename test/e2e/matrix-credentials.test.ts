// The fault matrix, fifth part: what happens to the Secret that holds a zone's own API key, while objects are created,
// changed and deleted. The cells stand beside each other: an operator looks for a Secret every ten seconds.
import { afterAll, describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/kube/resource.ts';
import type { TestKey } from '../support/keys.ts';
import { type Cell, CREATING, cleanUp, consistent, newCell, WORKS, type Work } from '../support/matrix/cell.ts';
import { type Chain, startChain } from '../support/matrix/chain.ts';
import { startOperator } from '../support/matrix/operator.ts';
import { untilIs } from '../support/matrix/until.ts';
import { inconsistencies } from '../support/matrix/world.ts';

const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLE: ResourceType = { ...RBAC, plural: 'roles', kind: 'Role' };
const BINDING: ResourceType = { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding' };
const NAME = 'team-key';
const ME = { fieldManager: 'test' };

const own = await startChain();
const operator = startOperator(own);
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

/** Each goes with the end of the key that was in use, or an operator would not look for another one. */
const FAULTS: Readonly<Record<string, (cell: Cell) => Promise<unknown>>> = {
  'is gone': ({ namespace }) => own.remove(SECRET, NAME, namespace),
  'has no key in it': async ({ namespace }) => {
    await own.remove(SECRET, NAME, namespace);
    await put(namespace, { somethingElse: 'yk_1_2' });
  },
  'holds a key that the service does not know': ({ namespace }) => put(namespace, { apiKey: 'yk_000000000000_wrong' }),
  'holds what cannot be a key': ({ namespace }) => put(namespace, { apiKey: 'two\nlines' }),
  'holds a key of another team': async ({ namespace }) =>
    put(namespace, { apiKey: (await own.mint('somebody-else')).text }),
  'may not be read any more': ({ namespace }) => own.remove(BINDING, NAME, namespace),
};

/** With a key of another team from the beginning the zone is that team's: no fault of anybody. */
const faultsOf = (work: Work) => Object.entries(FAULTS).filter(([title]) => work !== CREATING || !/team/.test(title));

async function begin(work: Work): Promise<{ cell: Cell; key: TestKey }> {
  const cell = await newCell(own);
  const key = await own.mint();
  await allow(cell.namespace);
  await put(cell.namespace, { apiKey: key.text });
  await work.given(chain, cell);
  await consistent(own, cell, 'given');
  return { cell, key };
}

async function end(cell: Cell, work: Work): Promise<void> {
  cell.made = work.made;
  await consistent(own, cell, work.title);
  await cleanUp(own, cell);
}

describe.concurrent.each(WORKS)('while $title', (work) => {
  it.concurrent.each(faultsOf(work))('a Secret that %s is waited for, and all ends well', async (_title, fault) => {
    const { cell, key } = await begin(work);
    await Promise.all([fault(cell), revoke(key)]);
    await work.act(chain, cell);
    await untilIs(
      'a fault that was met',
      async () => (await inconsistencies(own, cell)).length,
      (count) => count > 0,
    );
    const next = await own.mint();
    await Promise.all([put(cell.namespace, { apiKey: next.text }), allow(cell.namespace)]);
    await end(cell, work);
  });

  it.concurrent('a key that is rotated is replaced without a word from anybody', async () => {
    const { cell, key } = await begin(work);
    const next = await own.mint();
    await put(cell.namespace, { apiKey: next.text });
    await Promise.all([revoke(key), work.act(chain, cell)]);
    await end(cell, work);
    expect(operator.writes.length).toBeGreaterThan(0);
  });
});
