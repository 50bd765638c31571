// Zone transfers from our knotd to real secondaries of each kind, with the configurations that Zonestead generates for
// both sides. Two nodes sign by themselves; the first is the source.
import { beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import type { PrimaryView } from '#dns/secondaries/primary.ts';
import { checkedSecondaries, type Secondary } from '#dns/secondaries/secondary.ts';
import { isOfSlot, slottedSerial } from '#dns/secondaries/serial.ts';
import { writeCatalog } from '#nameserver/knot/catalog.ts';
import { NSEC3_WORKS } from '#nameserver/knot/configuration.ts';
import { followDenial, setDenial } from '#nameserver/knot/denial.ts';
import type { SourceRole } from '#nameserver/knot/secondaries.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import {
  type Kind,
  parseDigRecords,
  type RunningSecondary,
  type Source,
  serialAt,
  startRunning,
  startSource,
  transfer,
} from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const KINDS: Kind[] = ['knot', 'bind', 'nsd'];
const LIMIT = { timeout: 60_000, interval: 10 };
const secret = (letter: string) => Buffer.alloc(32, letter).toString('base64');
const NETWORKS = { knot: [], bind: ['127.0.1.0/24', '2001:db8::/32'], nsd: ['0.0.0.0/0', '::/0'] };
const dig = (kind: Kind) => `hmac-sha256:${kind}.key.test:${secret(kind)}`;

let sources: [Source, Source];
let running: Record<Kind, RunningSecondary>;
let secondaries: Secondary[];
const zones = new Map<string, string>();
let clock = 1_800_000_000;

/** Both nodes as the api would have them: the zones, their catalogs, and who gets which. */
async function settle(roles: [SourceRole, SourceRole] = ['source', 'standby']): Promise<void> {
  const members = [...zones].map(([name, id]) => ({ name, id }));
  const names = [...zones.keys()];
  for (const [slot, source] of sources.entries()) {
    const role = roles[slot]!;
    if (!source.part || stopped.has(source)) continue;
    await source.configure({ secondaries, zones: names, role });
    for (const { name, catalog } of secondaries) {
      const serial = { least: clock, slot, source: role !== 'standby' };
      if (catalog) await writeCatalog(source.control, { secondary: name, members, serial }, signal);
    }
  }
}
const stopped = new Set<Source>();

async function add(zone: string, id: string, names: readonly string[] = []): Promise<void> {
  clock += 10;
  for (const [slot, source] of sources.entries()) {
    await source.add(zone, slottedSerial({ least: clock, current: null, slot, source: slot === 0 }), names);
  }
  zones.set(zone, id);
  await settle();
}

const answers = (kind: Kind, name: string, address: string) =>
  expect
    .poll(async () => (await running[kind].resolver.lookup(name, 'A')).answers, LIMIT)
    .toEqual([`${name} 60 A ${address}`]);

beforeAll(async () => {
  const ports = await allocatePorts(
    KINDS.map((name) => ({ name, dns: true })),
    { stateDir: await temporaryFolder('secondaries') },
  );
  secondaries = checkedSecondaries(
    KINDS.map((kind) => ({
      name: kind,
      addresses: [{ address: '127.0.0.1', port: ports[kind] }],
      transfersFrom: NETWORKS[kind],
      key: { name: `${kind}.key.test`, algorithm: 'hmac-sha256', secret: secret(kind) },
      zones: kind === 'nsd' ? ['listed.test', 'failover.test'] : 'all',
      catalog: kind !== 'nsd',
      notify: true,
    })),
  );
  sources = await Promise.all([startSource(), startSource('127.0.0.2')]);
  const view = (kind: Kind): PrimaryView => ({
    primaries: sources.map(({ primary }) => primary),
    key: secondaries.find(({ name }) => name === kind)!.key,
    zones: kind === 'nsd' ? ['listed.test', 'failover.test'] : null,
    catalog: catalogName(kind),
  });
  await settle();
  const started = await Promise.all(KINDS.map((kind) => startRunning(kind, ports[kind], view(kind))));
  running = Object.fromEntries(started.map((one) => [one.kind, one])) as Record<Kind, RunningSecondary>;
  await add('first.test', 'zone-1');
  await add('listed.test', 'zone-2');
});

test.each(['knot', 'bind'] as const)('a new zone appears on %s by catalog', (kind) =>
  answers(kind, 'www.first.test', '192.0.2.1'),
);

test('a new zone appears on NSD if it is listed for it', async () => {
  await answers('nsd', 'www.listed.test', '192.0.2.1');
  expect((await running.nsd.resolver.lookup('www.first.test', 'A')).rcode).toBe('REFUSED');
});

test('a new zone costs no command if nothing differs', async () => {
  expect(await sources[0].configure({ secondaries, zones: [...zones.keys()], role: 'source' })).toBe(0);
});

test('the list of zones has the zones of the api, and no catalog', async () => {
  const engine = zoneEngine({ control: sources[0].control, folder: undefined as never, keys: undefined as never });
  expect((await engine.zones(signal)).map(({ name }) => name).sort()).toEqual([...zones.keys()].sort());
});

test.each(KINDS)(
  'a zone at a secondary has on %s every record and signature of the source, and validates',
  async (kind) => {
    await answers(kind, 'www.listed.test', '192.0.2.1');
    const expected = parseDigRecords(await transfer(sources[0].port, 'listed.test', { key: dig('nsd') }));
    expect(expected.filter((line) => line.includes(' RRSIG ')).length).toBeGreaterThan(5);
    const found = new Set<string>();
    for (const pair of new Set(expected.map((line) => line.split(' ').slice(0, 2).join(' ')))) {
      const [name = '', type = ''] = pair.split(' ');
      if (type === 'RRSIG') continue;
      const output = await running[kind].resolver.dig('+norec', '+dnssec', '+noall', '+answer', name, type);
      for (const record of parseDigRecords(output)) found.add(record);
    }
    expect([...found].sort()).toEqual(expected);
    expect(await running[kind].resolver.delv('listed.test', 'www.listed.test', 'A')).toMatchObject({ state: 'secure' });
    expect(await running[kind].resolver.delv('listed.test', 'absent.listed.test', 'A')).toMatchObject({
      state: 'secure',
      negative: 'nxdomain',
    });
  },
);

test.each(['NSEC3', 'NSEC'] as const)(
  'a zone that changes to %s does so at each secondary, with proofs that validate',
  async (denial) => {
    const servedDenial = isSince(sources[0].version, NSEC3_WORKS) ? denial : 'NSEC';
    for (const { control } of sources) {
      await setDenial(control, 'listed.test', denial, signal);
      await followDenial(control, realClock, 'listed.test', servedDenial, signal);
    }
    for (const kind of KINDS) {
      const { resolver } = running[kind];
      const hasNsec3 = async () => (await resolver.dig('+dnssec', 'absent.listed.test', 'A')).includes('NSEC3');
      await expect.poll(hasNsec3, LIMIT).toBe(servedDenial === 'NSEC3');
      for (const [name, type, negative] of [
        ['absent.listed.test', 'A', 'nxdomain'],
        ['absent.www.listed.test', 'A', 'nxdomain'],
        ['www.listed.test', 'AAAA', 'nodata'],
      ] as const)
        expect(await resolver.delv('listed.test', name, type)).toMatchObject({ state: 'secure', negative });
    }
  },
);

test('a zone at a secondary gets a change by IXFR of less than 5 kB', async () => {
  await add(
    'large.test',
    'zone-3',
    Array.from({ length: 400 }, (_, at) => `h${at}`),
  );
  await Promise.all((['knot', 'bind'] as const).map((kind) => answers(kind, 'h399.large.test', '192.0.2.1')));
  clock += 10;
  await sources[0].change(
    'large.test',
    slottedSerial({ least: clock, current: null, slot: 0, source: true }),
    'h7',
    '192.0.2.7',
  );
  await Promise.all((['knot', 'bind'] as const).map((kind) => answers(kind, 'h7.large.test', '192.0.2.7')));
  const knot = /\[large\.test\.\] IXFR, incoming,.* finished,.* (\d+) bytes/.exec(await running.knot.log());
  expect(Number(knot?.[1])).toBeLessThan(5_000);
  const bind = [...(await running.bind.log()).matchAll(/transfer of 'large\.test.*completed:.* (\d+) bytes/g)].map(
    ([, bytes]) => Number(bytes),
  );
  expect(bind[0]).toBeGreaterThan(50_000);
  expect(bind.at(-1)).toBeLessThan(5_000);
});

test('a zone at a secondary loses its old contents if it is deleted and created again with an older serial', async () => {
  await Promise.all((['knot', 'bind'] as const).map((kind) => answers(kind, 'www.first.test', '192.0.2.1')));
  const before = await serialAt(sources[0].port, 'first.test');
  for (const source of sources) await source.remove('first.test');
  for (const [slot, source] of sources.entries()) await source.add('first.test', 1_000 + slot, ['new']);
  zones.set('first.test', 'zone-1-again');
  clock += 10;
  await settle();
  for (const kind of ['knot', 'bind'] as const) {
    await answers(kind, 'new.first.test', '192.0.2.1');
    expect(await serialAt(running[kind].port, 'first.test')).toBeLessThan(before!);
  }
});

test('a zone at a secondary stays there after the secondary was killed, and follows again', async () => {
  await answers('knot', 'www.first.test', '192.0.2.1');
  await running.knot.stop();
  await sources[0].change('first.test', 2_000, 'www', '192.0.2.9');
  await running.knot.start();
  await answers('knot', 'www.first.test', '192.0.2.9');
});

test('a zone at a secondary follows the source after the source was killed', async () => {
  await sources[0].restart('SIGKILL');
  await expect.poll(() => serialAt(sources[0].port, 'first.test'), LIMIT).toBe(2_000);
  await sources[0].change('first.test', 2_004, 'www', '192.0.2.10');
  await Promise.all((['knot', 'bind'] as const).map((kind) => answers(kind, 'www.first.test', '192.0.2.10')));
});

describe('a transfer is refused', () => {
  const wrong = `hmac-sha256:knot.key.test:${secret('x')}`;
  test.each([
    ['without a key', {}, 'listed.test'],
    ['with a wrong secret', { key: wrong }, 'listed.test'],
    ['with an unknown key', { key: `hmac-sha256:other.test:${secret('knot')}` }, 'listed.test'],
    ['from another address', { key: dig('knot'), from: '127.0.0.9' }, 'listed.test'],
    ['from an address outside of the network', { key: dig('bind'), from: '127.0.2.9' }, 'listed.test'],
    ['from an address of the network with a wrong secret', { key: wrong, from: '127.0.1.9' }, 'listed.test'],
    ['with the key of a secondary that does not list the zone', { key: dig('nsd') }, 'first.test'],
    ['with the key of another secondary, for a catalog', { key: dig('bind') }, catalogName('knot')],
  ])('a transfer is refused %s', async (_, options, zone) => {
    expect(await transfer(sources[0].port, zone, options)).toContain('Transfer failed');
  });

  test('the log names zone, address and key of a refused transfer, if it is at level debug', async () => {
    const { run } = sources[0].control;
    await sources[0].control.session(async (session) => {
      await session.run('conf-begin');
      await session.run('conf-set', { section: 'log', id: 'stdout', item: 'zone', data: 'debug' });
      await session.run('conf-commit');
    });
    await transfer(sources[0].port, 'first.test', { key: dig('nsd') });
    await expect
      .poll(() => sources[0].part.tail(50), LIMIT)
      .toMatch(/first\.test\.\] ACL, denied, action transfer, remote 127\.0\.0\.1.*key '?nsd\.key\.test\./);
    expect(run).toBeDefined();
  });

  test('questions for a catalog from any other address are refused', async () => {
    const output = await sources[0].resolver.dig('-b', '127.0.0.9', catalogName('knot'), 'SOA');
    expect(output).toContain('status: NOTAUTH');
  });

  test('a transfer is allowed with the key of the secondary, from its address', async () => {
    const output = await transfer(sources[0].port, catalogName('knot'), { key: dig('knot') });
    expect(parseDigRecords(output).filter((line) => line.includes(' PTR ')).length).toBe(zones.size);
  });
});

test.each([
  ['bind', '127.0.1.9', catalogName('bind')],
  ['nsd', '127.9.9.9', 'listed.test'],
] as const)('a secondary with networks transfers from every address in them: %s from %s', async (kind, from, zone) => {
  expect(await transfer(sources[0].port, zone, { key: dig(kind), from })).not.toContain('Transfer failed');
});

test('a request for the changes since a serial gets them from the source, and the whole zone from a standby', async () => {
  await add('since.test', 'zone-5', ['a']);
  for (const [slot, source] of sources.entries()) {
    const before = await serialAt(source.port, 'since.test');
    await source.change('since.test', before! + 4, 'a', '192.0.2.5');
    const whole = await transfer(source.port, 'since.test', { key: dig('knot') });
    const since = await transfer(source.port, 'since.test', { key: dig('knot'), type: `IXFR=${before}` });
    const untouched = (output: string) => parseDigRecords(output).filter((line) => line.startsWith('www.since.test'));
    expect(untouched(whole).length).toBe(4);
    expect(untouched(since).length).toBe(slot === 0 ? 0 : 4);
  }
});

test('when the source dies, secondaries of each kind get whole zones from the next one, and never signatures of both', async () => {
  await add('failover.test', 'zone-4', ['a', 'b']);
  await Promise.all(KINDS.map((kind) => answers(kind, 'www.failover.test', '192.0.2.1')));
  for (const kind of KINDS) expect(isOfSlot((await serialAt(running[kind].port, 'failover.test'))!, 0)).toBe(true);
  await sources[0].part.stop({ signal: 'SIGKILL' });
  stopped.add(sources[0]);

  await settle(['standby', 'new-source']);
  clock += 10;
  await sources[1].change(
    'failover.test',
    slottedSerial({ least: clock, current: null, slot: 1, source: true }),
    'a',
    '192.0.2.11',
  );
  for (const kind of KINDS) {
    await answers(kind, 'a.failover.test', '192.0.2.11');
    expect(isOfSlot((await serialAt(running[kind].port, 'failover.test'))!, 1)).toBe(true);
    for (const name of ['a', 'b', 'www']) {
      const ask = ['+norec', '+dnssec', '+noall', '+answer', `${name}.failover.test`, 'A'];
      expect(parseDigRecords(await running[kind].resolver.dig(...ask))).toEqual(
        parseDigRecords(await sources[1].resolver.dig(...ask)),
      );
    }
    expect(await running[kind].resolver.delv('failover.test', 'b.failover.test', 'A')).toMatchObject({
      state: 'secure',
    });
  }
});
