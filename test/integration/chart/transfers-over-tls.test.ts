// Transfers over TLS in the chart: from the name servers to the edges and to the secondaries of the values.
import { expect, test } from 'vitest';
import { one, type Rendered, render } from '../../support/chart/chart.ts';

const PIN = Buffer.alloc(32, 'p').toString('base64');
const EU = { name: 'eu', addresses: ['192.0.2.1'] };
const nameserver = { knot: { tls: { existingSecret: 'dns-tls' } } };

/** The list that the bootstrap Job gets. */
const secondariesOf = (objects: readonly Rendered[]): Rendered[] => {
  const args: string[] = objects.find(({ kind }) => kind === 'Job')?.spec.template.spec.containers[0].args;
  return JSON.parse(args.find((each) => each.startsWith('--secondaries='))?.slice('--secondaries='.length) ?? '');
};
const envOf = (objects: readonly Rendered[]) => {
  const { containers } = one(objects, 'StatefulSet', 'zonestead-edge').spec.template.spec;
  const { env } = containers.find(({ name }: Rendered) => name === 'knot');
  return new Map(env.map(({ name, value }: { name: string; value: string }) => [name, value]));
};

test('edges with pins transfer over TLS from the port of TLS of each name server, and may not otherwise', async () => {
  const edge = { enabled: true, primaryPins: [PIN] };
  const objects = await render({ nameserver, edge, networkPolicy: { enabled: true } });
  const env = envOf(objects);
  expect(env.get('ZONESTEAD_EDGE_PRIMARY_PINS')).toBe(PIN);
  expect(env.get('ZONESTEAD_EDGE_PRIMARIES')).toMatch(/^(zonestead-nameserver-\d\.zonestead\.svc:853,?)+$/);
  expect(one(objects, 'Service', 'zonestead-nameserver-0').spec.ports).toContainEqual({
    name: 'dns-tls',
    protocol: 'TCP',
    port: 853,
    targetPort: 'dns-tls',
  });
  expect(secondariesOf(objects)).toMatchObject([{ name: 'edge', requireTls: true }]);
  expect(one(objects, 'NetworkPolicy', 'zonestead-edge').spec.egress).toContainEqual(
    expect.objectContaining({ ports: [{ port: 8853, protocol: 'TCP' }] }),
  );
});

test('edges without pins transfer from the port without TLS', async () => {
  const objects = await render({ nameserver, edge: { enabled: true } });
  expect(envOf(objects).has('ZONESTEAD_EDGE_PRIMARY_PINS')).toBe(false);
  expect(envOf(objects).get('ZONESTEAD_EDGE_PRIMARIES')).toMatch(/:53$/);
  expect(secondariesOf(objects)).toMatchObject([{ name: 'edge', requireTls: false }]);
});

test('a secondary of the values may have to transfer over TLS with its certificate', async () => {
  const objects = await render({ nameserver, secondaries: [{ ...EU, requireTls: true, pins: [PIN] }] });
  expect(secondariesOf(objects)).toMatchObject([{ name: 'eu', requireTls: true, pins: [PIN] }]);
});
