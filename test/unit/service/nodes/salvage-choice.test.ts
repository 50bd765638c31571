// The choice among copies of a zone that name servers sent, and the seals that prove them.
import { expect, test } from 'vitest';
import { generateSigningKey } from '#dns/dnssec/signing-key.ts';
import { chooseCopy, type Offer } from '#service/nodes/salvage-choice.ts';
import { isSealedEnding, sealEnding, sealZone } from '#service/nodes/seal.ts';

const SECRET = Buffer.from('a secret of the database');
const ZONE = 'shop.example';
const key = generateSigningKey();
const other = generateSigningKey();
const PLAIN = { team: 'team_1', user: null, state: 'active', defaultTtl: 3_600, denial: 'NSEC' } as const;

function offer(
  node: string,
  change: { csk?: typeof key; serial?: number; seal?: string | null; digest?: string } = {},
): Offer {
  const { csk = key, serial = 7, digest = 'd' } = change;
  const { publicKey, algorithm } = csk;
  const plain = { ...PLAIN, keys: [{ publicKey, algorithm, state: 'active' as const }] };
  const sealText = sealZone(SECRET, { id: 'zone_1', name: ZONE, origin: plain });
  const { seal = sealText } = change;
  const origin = seal === null ? null : { ...plain, seal };
  const end = { id: 'zone_1', serial, privateKeys: [csk.privateKey], origin, parts: 0, sets: 0, digest };
  return { node, instance: node, end: { kind: 'zone', ...end } };
}

test('The copy with the latest serial is chosen, also after the serial wrapped, and others are named', () => {
  const offers = [offer('ns1', { serial: 4_294_967_295, digest: 'e' }), offer('ns2', { serial: 3 })];
  const choice = chooseCopy(ZONE, offers, SECRET);
  expect(choice).toMatchObject({
    ok: true,
    value: { copy: { node: 'ns2', isSealed: true }, serial: 3, others: ['ns1'] },
  });
});

test('A copy without the seal of the database does not count next to a sealed one', () => {
  const planted = offer('bad', { csk: other, serial: 2_000, seal: 'x' });
  expect(chooseCopy(ZONE, [planted, offer('ns1')], SECRET)).toMatchObject({
    ok: true,
    value: { copy: { node: 'ns1' } },
  });
  expect(chooseCopy('other.example', [offer('ns1')], SECRET)).toMatchObject({ value: { copy: { isSealed: false } } });
});

test('Copies without a seal must have one key, unless the administrator chooses a node', () => {
  const offers = [offer('ns1', { seal: null }), offer('bad', { csk: other, seal: null })];
  expect(chooseCopy(ZONE, offers, SECRET)).toMatchObject({ ok: false, problem: expect.stringContaining('--node') });
  expect(chooseCopy(ZONE, offers, SECRET, 'ns1')).toMatchObject({ ok: true, value: { copy: { isSealed: false } } });
});

test('Without a usable copy, the words of the name servers say why', () => {
  const failed = { node: 'ns1', instance: 'i', end: { kind: 'failed', error: 'it is loading' } } as const;
  expect(chooseCopy(ZONE, [failed], SECRET)).toEqual({ ok: false, problem: 'ns1: it is loading' });
  expect(chooseCopy(ZONE, [], SECRET)).toEqual({ ok: false, problem: 'no name server has answered' });
});

test('A seal is for one ending, and of one database', () => {
  const ending = { action: 'key.revoke', subject: 'k1', team: null, at: '2026-01-01T00:00:00.000001Z' } as const;
  const seal = sealEnding(SECRET, ending);
  expect(isSealedEnding(SECRET, { ...ending, seal })).toBe(true);
  expect(isSealedEnding(SECRET, { ...ending, subject: 'k2', seal })).toBe(false);
  expect(isSealedEnding(Buffer.from('another'), { ...ending, seal })).toBe(false);
});
