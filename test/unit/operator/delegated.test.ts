// The condition Delegated: what is told of what was seen at the parent zone.
import { describe, expect, it } from 'vitest';
import { parseRdata } from '../../../src/dns/types/index.ts';
import { delegatedAnswer, type SeenAtParent } from '../../../src/operator/delegated.ts';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';

const DIGEST = 'e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d';
const RECORD = `example.org. IN DS 20326 13 2 ${DIGEST}`;
const zone = {
  zoneName: 'example.org',
  nameservers: ['ns1.zonestead.test', 'ns2.zonestead.test'],
  ds: [{ keyTag: 20326, algorithm: 13, digestType: 2, digest: DIGEST, record: RECORD }],
};
const hex = (type: 'NS' | 'DS', content: string) => {
  const parsed = parseRdata(type, content, null);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return Buffer.from(parsed.value.wire).toString('hex');
};
const NS = zone.nameservers.map((host) => hex('NS', `${host}.`));
const OWN = hex('DS', `20326 13 2 ${DIGEST}`);
const OTHER = hex('DS', `1 13 2 ${'ab'.repeat(32)}`);
const seen = (ns: string[], ds: string[]): SeenAtParent => ({ parent: 'org', ns, ds });
const both = 'example.org. IN NS ns1.zonestead.test.; example.org. IN NS ns2.zonestead.test.';

describe('Delegated', () => {
  it.each([
    ['True Delegated', 'with our name servers and DS', seen(NS, [OTHER, OWN]), 'with the DS of this zone'],
    ['False DSRequired', 'without DS', seen(NS, []), `publish there ${RECORD}`],
    ['False DSMismatch', 'with the DS of another key', seen(NS, [OTHER]), `replace it by ${RECORD}`],
    ['False DelegationRequired', 'without the name', seen([], []), `${both}; ${RECORD}`],
    ['False DelegationRequired', 'with one of two name servers', seen(NS.slice(1), [OWN]), 'to other name servers'],
    [
      'Unknown ParentNotAsked',
      'that does not answer',
      'no name server of org answers',
      'no name server of org answers',
    ],
    ['Unknown NotChecked', 'that nobody can find', null, 'ZONESTEAD_RESOLVER'],
  ] as const)('is %s for a parent %s', (expected, _how, found, words) => {
    const { status, reason, message } = delegatedAnswer(zone, found as SeenAtParent | string | null);
    expect(`${status} ${reason}`).toBe(expected);
    expect(message).toContain(words);
  });

  it('repeats what the service says when the parent cannot be asked', () => {
    const required = delegatedAnswer({ ...zone, status: 'ds_required' }, null);
    expect(required).toMatchObject({ status: 'False', reason: 'DSRequired' });
    expect(required.message).toContain(RECORD);
    const claim = delegatedAnswer({ ...zone, zoneName: 'brand', status: 'handshake_claim_required' }, null);
    expect(claim).toMatchObject({ status: 'False', reason: 'HandshakeClaimRequired' });
    expect(claim.message).toContain('claim it on Handshake');
  });

  it('does not keep a zone from being Ready, and the parent is asked again within a minute or so', async () => {
    const on = new Bench();
    on.parents = () => Promise.resolve('the resolver does not answer over UDP');
    on.restart();
    on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
    await on.settle();
    expect(on.ready(on.cluster.zone('default/example'))).toBe('True Ready');
    expect(on.message(on.cluster.zone('default/example'), 'Delegated')).toContain('does not answer over UDP');
    on.parents = () => Promise.resolve(seen([], []));
    on.restart();
    const runs = await on.settle();
    expect(on.ready(on.cluster.zone('default/example'))).toBe('True Ready');
    expect(on.message(on.cluster.zone('default/example'), 'Delegated')).toContain('publish there');
    expect(runs.get('zone default/example')?.result?.requeueAfterMs).toBe(60_000);
  });
});
