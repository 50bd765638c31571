// Two namespaces on real parts: what the one may not have it neither gets nor reads, by whatever way it asks. Each namespace
// acts under a user of its own, with rights on the two kinds in that namespace only.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack.ts';

const SECRET_ADDRESS = '198.51.100.77';
let test: TestStack;
let victimId: string;

beforeAll(async () => {
  test = await startTestStack();
  for (const name of ['a', 'b']) {
    await test.kubectl('create', 'namespace', name);
    await test.kubectl('label', 'namespace', name, `team=${name}`);
    await test.kubectl(
      '-n',
      name,
      'create',
      'role',
      'dns',
      '--verb=*',
      '--resource=dnszones.zonestead.dev,dnsrecords.zonestead.dev',
    );
    await test.kubectl('-n', name, 'create', 'rolebinding', 'dns', '--role=dns', `--user=tenant-${name}`);
  }
  await test.apply(
    zoneObject('shop', 'shop.example', {}, 'a'),
    recordObject('vault', 'shop', { name: 'vault', type: 'A', content: SECRET_ADDRESS }, 'a'),
  );
  await test.ready(30, '-n', 'a', 'zdz/shop', 'zdr/vault');
  victimId = await test.kubectl('-n', 'a', 'get', 'zdz', 'shop', '-o', 'jsonpath={.status.zoneId}');
});
afterAll(async () => {
  await test.stop();
});

/** Reason of Ready, once it is no longer waiting to be looked at. */
async function reason(name: string, namespace = 'b'): Promise<string | undefined> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}';
  return test.kubectl('-n', namespace, 'get', name, '-o', path);
}

const becomes = (name: string, ...reasons: string[]) =>
  expect.poll(() => reason(name), { timeout: 15_000 }).toMatch(new RegExp(`^(${reasons.join('|')})$`));

/** All that the user of namespace b can read: objects and Events. */
async function toldB(): Promise<string> {
  const objects = await test.kubectl('--as=tenant-b', '-n', 'b', 'get', 'zdz,zdr', '-o', 'json');
  return objects + (await test.kubectl('-n', 'b', 'get', 'events', '-o', 'json'));
}

function recordOfB(name: string, spec: object): object {
  return recordObject(name, 'shop', { zoneRef: { name: 'shop', namespace: 'a' }, ...spec }, 'b');
}

describe('namespace b', () => {
  it('sees nothing of namespace a, and writes no status', async () => {
    await expect(test.kubectl('--as=tenant-b', '-n', 'a', 'get', 'zdz')).rejects.toThrow('forbidden');
    const patch = ['patch', 'zdz', 'x', '--subresource=status', '--type=merge', '-p', '{"status":{"zoneId":"zone_1"}}'];
    await expect(test.kubectl('--as=tenant-b', '-n', 'b', ...patch)).rejects.toThrow('forbidden');
  });

  it.each([
    ['name', { zoneName: 'shop.example' }],
    ['spelling', { zoneName: 'SHOP.Example.' }],
    ['adopt', { zoneName: 'shop.example', adopt: 'IfIdentical' }],
    ['observe', { zoneName: 'shop.example', managementPolicy: 'Observe' }],
    ['piece', { zoneName: 'www.shop.example' }],
    ['hidden', { zoneName: 'vault.shop.example' }],
  ])('gets no zone of a by %s, and reads nothing of it', async (name, spec) => {
    await test.apply(zoneObject(name, '', spec, 'b'));
    await becomes(`zdz/${name}`, 'Conflict', 'NotPermitted');
    const told = await toldB();
    expect(told).not.toContain(SECRET_ADDRESS);
    expect(told).not.toContain(victimId);
    await test.kubectl('-n', 'b', 'delete', 'zdz', name, '--timeout=20s');
    expect(await test.dig('vault.shop.example', 'A')).toEqual([`vault.shop.example. 3600 IN A ${SECRET_ADDRESS}`]);
  });

  it('writes there with a grant only, is taken out when it ends, and comes back with it', async () => {
    await test.apply(recordOfB('www', { name: 'WWW.shop.example.', type: 'A', content: '192.0.2.1', ttl: 60 }));
    await becomes('zdr/www', 'NotPermitted');
    expect(await test.rcode('www.shop.example', 'A')).toBe('NXDOMAIN');
    const grant = {
      namespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } },
      names: ['www'],
      types: ['A'],
    };
    const served = ['www.shop.example. 60 IN A 192.0.2.1'];
    await test.apply(zoneObject('shop', 'shop.example', { allowedRecords: [grant] }, 'a'));
    await test.ready(15, '-n', 'b', 'zdr/www');
    expect(await test.dig('www.shop.example', 'A')).toEqual(served);
    await test.kubectl('label', 'namespace', 'b', 'team=none', '--overwrite');
    await becomes('zdr/www', 'NotPermitted');
    await expect.poll(() => test.rcode('www.shop.example', 'A'), { timeout: 10_000 }).toBe('NXDOMAIN');
    await expect
      .poll(() => test.kubectl('-n', 'b', 'get', 'events'), { timeout: 10_000 })
      .toMatch(/Withdrawn.*taken out of DNS/);
    await test.kubectl('label', 'namespace', 'b', 'team=b', '--overwrite');
    await test.ready(15, '-n', 'b', 'zdr/www');
    expect(await test.dig('www.shop.example', 'A')).toEqual(served);
  });

  it('does not get a name by conflict, and its end does not touch the winner', async () => {
    await test.apply(recordObject('first', 'shop', { name: 'www', type: 'A', content: '192.0.2.2' }, 'a'));
    await test.ready(15, '-n', 'a', 'zdr/first');
    await test.apply(recordOfB('late', { name: 'www', type: 'A', content: '192.0.2.2' }));
    await becomes('zdr/late', 'Conflict');
    expect(await test.kubectl('-n', 'b', 'describe', 'zdr', 'late')).toContain('DNSRecord a/first owns 192.0.2.2');
    await test.kubectl('-n', 'b', 'delete', 'zdr', 'late', 'www', '--timeout=20s');
    expect(await test.dig('www.shop.example', 'A')).toEqual(['www.shop.example. 3600 IN A 192.0.2.2']);
  });

  it('does not get what a left behind, by making the object anew', async () => {
    await test.apply(zoneObject('left', 'left.example', { deletionPolicy: 'Retain' }, 'a'));
    await test.ready(15, '-n', 'a', 'zdz/left');
    await test.kubectl('-n', 'a', 'delete', 'zdz', 'left', '--timeout=20s');
    await test.apply(zoneObject('left', 'left.example', { adopt: 'IfIdentical' }, 'b'));
    await becomes('zdz/left', 'NotPermitted');
    await test.kubectl('label', 'namespace', 'b', 'zonestead.dev/existing-zones=allow');
    await test.ready(15, '-n', 'b', 'zdz/left');
    expect(await test.kubectl('-n', 'b', 'get', 'zdz', 'left', '-o', 'jsonpath={.status.origin}')).toBe('Adopted');
    await test.kubectl('label', 'namespace', 'b', 'zonestead.dev/existing-zones-');
  });
});

describe('a zone with an API key of its own', () => {
  it('waits for the Secret and for the right to read it, and then belongs to the other team', async () => {
    await test.apply(zoneObject('team', 'team.example', { credentialsSecretRef: { name: 'dns-team-key' } }, 'b'));
    await becomes('zdz/team', 'CredentialsNotReadable');
    const { second } = test.stack.service.keys;
    const example = (await readFile('deploy/examples/team-key.yaml', 'utf8')).split('---\n');
    const secret = (key: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'dns-team-key', namespace: 'b' },
      stringData: { apiKey: key },
    });
    await test.apply(secret('yk_wrong_key'));
    await test.applyText('b', example.slice(1, 3).join('---\n'));
    await expect.poll(() => reason('zdz/team'), { timeout: 25_000 }).toBe('CredentialsRejected');
    await test.apply(secret(second.key));
    await test.ready(25, '-n', 'b', 'zdz/team');
    expect(await test.kubectl('-n', 'b', 'get', 'zdz', 'team', '-o', 'jsonpath={.status.owner}')).toBe(
      `org:${second.team}`,
    );
    await test.kubectl('-n', 'b', 'delete', 'zdz', 'team', '--timeout=40s');
  });
});

describe('Delegated', () => {
  it('is True for a child of a zone that is hosted here, and Unknown where no parent can be asked', async () => {
    await test.apply(zoneObject('child', 'dev.shop.example', {}, 'a'));
    await test.kubectl('-n', 'a', 'wait', '--for=condition=Delegated', '--timeout=20s', 'zdz/child');
    const path = 'jsonpath={.status.conditions[?(@.type=="Delegated")].status}';
    expect(await test.kubectl('-n', 'a', 'get', 'zdz', 'shop', '-o', path)).toBe('Unknown');
  });
});

describe('deploy/examples/warnings.yaml', () => {
  it('warns at apply, and refuses nothing', async () => {
    await test.kubectl('apply', '-f', 'deploy/examples/warnings.yaml');
    const risky = recordOfB('risky', { name: '_acme-challenge', type: 'TXT', content: 'x', deletionPolicy: 'Retain' });
    const all = zoneObject('open', 'open.example', { allowedRecords: [{ namespaces: { from: 'All' } }] }, 'a');
    await expect
      .poll(async () => (await test.dryRun(risky, all)).words, { timeout: 20_000, interval: 1_000 })
      .toMatch(/Retain has no effect in a zone of another namespace/);
    const { ok, words } = await test.dryRun(risky, all);
    expect(ok).toBe(true);
    expect(words).toContain('set 60');
    expect(words).toContain('lets every namespace put records at every name');
  });
});
