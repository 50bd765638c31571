// Two namespaces on real parts: neither gets or reads data of the other that it has no right to, by any kind of
// request. Each namespace acts under a user of its own, with rights on the two kinds in that namespace only.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DNSZone } from '#resources/dnszone.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

const SECRET_ADDRESS = '198.51.100.77';
let stack: TestStack;
let victimId: string;

const reason = async (name: string, namespace = 'b') => (await stack.condition(name, 'Ready', namespace))?.reason;

/** Ready has one of these reasons, at last. */
const becomes = (name: string, ...reasons: string[]) =>
  expect.poll(() => reason(name)).toMatch(new RegExp(`^(${reasons.join('|')})$`));

const label = (namespace: string, labels: Record<string, string | null>) =>
  stack.kube.patch(`namespace/${namespace}`, { metadata: { labels } });

/** Everything that the user of namespace b can read: objects and Events. */
async function toldB(): Promise<string> {
  const objects = await stack.kubectl('--as=tenant-b', '-n', 'b', 'get', 'zdz,zdr', '-o', 'json');
  return objects + JSON.stringify(await stack.kube.list('event', 'b'));
}

function recordOfB(name: string, spec: object): object {
  return recordObject(name, 'shop', { zoneRef: { name: 'shop', namespace: 'a' }, ...spec }, 'b');
}

async function prepare(): Promise<void> {
  for (const name of ['a', 'b']) {
    const metadata = { name: 'dns', namespace: name };
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    const resources = ['dnszones', 'dnsrecords'];
    await stack.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { team: name } } },
      { ...rbac, kind: 'Role', rules: [{ apiGroups: ['zonestead.dev'], resources, verbs: ['*'] }] },
      {
        ...{ ...rbac, kind: 'RoleBinding', subjects: [{ kind: 'User', name: `tenant-${name}` }] },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'dns' },
      },
    );
  }
  await stack.apply(
    zoneObject('shop', 'shop.example', {}, 'a'),
    recordObject('vault', 'shop', { name: 'vault', type: 'A', content: SECRET_ADDRESS }, 'a'),
  );
  await stack.ready('-n', 'a', 'zdz/shop', 'zdr/vault');
  victimId = (await stack.kube.get<DNSZone>('zdz/shop', 'a')).status?.zoneId as string;
}

export function separatesTenants(theStack: () => TestStack): void {
  describe('two tenants', () => {
    beforeAll(() => {
      stack = theStack();
      return prepare();
    });
    afterAll(async () => {
      for (const namespace of ['b', 'a']) await stack.removeAll(namespace);
    });

    test('namespace b sees nothing of namespace a, and writes no status', async () => {
      await expect(stack.kubectl('--as=tenant-b', '-n', 'a', 'get', 'zdz')).rejects.toThrow('forbidden');
      const patch = [
        'patch',
        'zdz',
        'x',
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"zoneId":"zone_1"}}',
      ];
      await expect(stack.kubectl('--as=tenant-b', '-n', 'b', ...patch)).rejects.toThrow('forbidden');
    });

    test.each([
      ['name', { zoneName: 'shop.example' }],
      ['spelling', { zoneName: 'SHOP.Example.' }],
      ['adopt', { zoneName: 'shop.example', adopt: 'IfIdentical' }],
      ['observe', { zoneName: 'shop.example', managementPolicy: 'Observe' }],
      ['piece', { zoneName: 'www.shop.example' }],
      ['hidden', { zoneName: 'vault.shop.example' }],
    ])('namespace b gets no zone of a by %s, and reads nothing of it', async (name, spec) => {
      await stack.apply(zoneObject(name, '', spec, 'b'));
      await becomes(`zdz/${name}`, 'Conflict', 'NotPermitted');
      const told = await toldB();
      expect(told).not.toContain(SECRET_ADDRESS);
      expect(told).not.toContain(victimId);
      await stack.remove('b', `zdz/${name}`);
      expect(await stack.dig('vault.shop.example', 'A')).toEqual([`vault.shop.example. 3600 IN A ${SECRET_ADDRESS}`]);
    });

    test('namespace b writes there with a grant only, is taken out when it ends, and comes back with it', async () => {
      await stack.apply(recordOfB('www', { name: 'WWW.shop.example.', type: 'A', content: '192.0.2.1', ttl: 60 }));
      await becomes('zdr/www', 'NotPermitted');
      expect(await stack.rcode('www.shop.example', 'A')).toBe('NXDOMAIN');
      const grant = {
        namespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } },
        names: ['www'],
        types: ['A'],
      };
      const served = ['www.shop.example. 60 IN A 192.0.2.1'];
      await stack.apply(zoneObject('shop', 'shop.example', { allowedRecords: [grant] }, 'a'));
      await stack.ready('-n', 'b', 'zdr/www');
      expect(await stack.dig('www.shop.example', 'A')).toEqual(served);
      await label('b', { team: 'none' });
      await becomes('zdr/www', 'NotPermitted');
      await expect.poll(() => stack.rcode('www.shop.example', 'A')).toBe('NXDOMAIN');
      await expect.poll(async () => (await stack.events('b')).join('\n')).toMatch(/ Withdrawn .*removes them from DNS/);
      await label('b', { team: 'b' });
      await stack.ready('-n', 'b', 'zdr/www');
      expect(await stack.dig('www.shop.example', 'A')).toEqual(served);
    });

    test('namespace b keeps nothing there after its objects', async () => {
      await stack.apply(recordOfB('sticky', { name: 'www', type: 'A', content: '192.0.2.7', ttl: 60 }));
      await stack.ready('-n', 'b', 'zdr/sticky');
      await stack.kubectl('--as=tenant-b', '-n', 'b', 'delete', 'zdr', 'www', 'sticky');
      await expect.poll(() => stack.dig('www.shop.example', 'A')).toEqual([]);
      await stack.apply(recordOfB('www', { name: 'WWW.shop.example.', type: 'A', content: '192.0.2.1', ttl: 60 }));
      await stack.ready('-n', 'b', 'zdr/www');
    });

    test('namespace b does not get a name by conflict, and its end does not touch the winner', async () => {
      await stack.apply(recordObject('first', 'shop', { name: 'www', type: 'A', content: '192.0.2.2' }, 'a'));
      await stack.ready('-n', 'a', 'zdr/first');
      await stack.apply(recordOfB('late', { name: 'www', type: 'A', content: '192.0.2.2' }));
      await becomes('zdr/late', 'Conflict');
      expect(await stack.kubectl('-n', 'b', 'describe', 'zdr', 'late')).toContain(
        'DNSRecord a/first already owns 192.0.2.2',
      );
      await stack.remove('b', 'zdr/late', 'zdr/www');
      await expect.poll(() => stack.dig('www.shop.example', 'A')).toEqual(['www.shop.example. 3600 IN A 192.0.2.2']);
      expect((await stack.condition('zdr/first', 'Ready', 'a'))?.status).toBe('True');
    });

    test('namespace b does not get the leftovers of a by creating the object again', async () => {
      await stack.apply(zoneObject('left', 'left.example', { deletionPolicy: 'Retain' }, 'a'));
      await stack.ready('-n', 'a', 'zdz/left');
      await stack.remove('a', 'zdz/left');
      await stack.apply(zoneObject('left', 'left.example', { adopt: 'IfIdentical' }, 'b'));
      await becomes('zdz/left', 'NotPermitted');
      await label('b', { 'zonestead.dev/existing-zones': 'allow' });
      await stack.ready('-n', 'b', 'zdz/left');
      expect((await stack.kube.get<DNSZone>('zdz/left', 'b')).status?.origin).toBe('Adopted');
      await label('b', { 'zonestead.dev/existing-zones': null });
    });

    test('a namespace that is deleted leaves nothing in the DNS of another one', async () => {
      await stack.apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } },
        zoneObject(
          'shared',
          'shared.example',
          { allowedRecords: [{ namespaces: { from: 'All' }, names: ['team'], types: ['A'] }] },
          'a',
        ),
        recordObject(
          'mine',
          'shared',
          { zoneRef: { name: 'shared', namespace: 'a' }, name: 'team', type: 'A', content: '192.0.2.1' },
          'leaving',
        ),
      );
      await stack.ready('-n', 'leaving', 'zdr/mine');
      expect(await stack.dig('team.shared.example', 'A')).toHaveLength(1);
      await stack.kubectl('delete', 'namespace', 'leaving', '--timeout=115s');
      await expect.poll(() => stack.rcode('team.shared.example', 'A')).toBe('NXDOMAIN');
    });

    test('the operator may read no Secret', async () => {
      await expect(stack.kubectl('--as=zonestead-operator', 'get', 'secrets', '-A')).rejects.toThrow(/forbidden/);
    });

    test('a zone with an API key of its own waits for the Secret and for the right to read it, and then belongs to the other team', async () => {
      await stack.apply(zoneObject('team', 'team.example', { credentialsSecretRef: { name: 'dns-team-key' } }, 'b'));
      await becomes('zdz/team', 'CredentialsNotReadable');
      const { second } = stack.stack.service.keys;
      const example = (await readFile('deploy/examples/team-key.yaml', 'utf8')).split('---\n');
      const secret = (key: string) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'dns-team-key', namespace: 'b' },
        stringData: { apiKey: key },
      });
      await stack.apply(secret('yk_wrong_key'));
      await stack.applyText('b', example.slice(1, 3).join('---\n'));
      await expect.poll(() => reason('zdz/team')).toBe('CredentialsRejected');
      await stack.apply(secret(second.key));
      await stack.ready('-n', 'b', 'zdz/team');
      expect((await stack.kube.get<DNSZone>('zdz/team', 'b')).status?.owner).toBe(`org:${second.team}`);
      await stack.remove('b', 'zdz/team');
    });

    test('the condition Delegated is True for a child of a zone that is hosted here, and Unknown where no parent can be asked', async () => {
      await stack.apply(zoneObject('child', 'dev.shop.example', {}, 'a'));
      const delegated = async (name: string) => (await stack.condition(name, 'Delegated', 'a'))?.status;
      await expect.poll(() => delegated('zdz/child')).toBe('True');
      expect(await delegated('zdz/shop')).toBe('Unknown');
    });
  });
}
