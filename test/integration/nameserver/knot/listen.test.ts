// A real knotd on all addresses of the machine: one socket for each family.
import { afterAll, expect, inject, test } from 'vitest';
import { ask } from '#nameserver/probe/probe.ts';
import { startKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const stateDir = await temporaryFolder('knot-listen');
const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir });
const knot = await startKnot({ programs: inject('knot'), stateDir, port, address: '*', signal });
afterAll(() => knot.part.stop());

test.each([
  ['127.0.0.1', 'udp'],
  ['127.0.0.1', 'tcp'],
  ['::1', 'udp'],
  ['::1', 'tcp'],
] as const)('A knotd with the default listener answers at %s over %s', async (address, transport) => {
  const answer = await ask({ address, port }, { name: 'none.example', type: 'SOA' }, { transport, signal });
  // It has no zones, and REFUSED is an answer.
  expect(answer.rcode).toBe(5);
});
