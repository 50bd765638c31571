// The state of a zone as three chips, from the reports of nodes and the answer of the parent zone.
import { expect, test } from 'vitest';
import { buildChips, isStepLeft } from '#console/zones/chips.ts';
import { type DanglingView, SUMMARIZED } from '#service/dangling/list.ts';
import type { DelegationState } from '#service/zones/delegation.ts';
import { render } from '../../support/console/render.ts';

const node = (name: string, current: boolean) => ({ node: name, current, reportedAt: '2026-11-21T11:59:59.000Z' });
const state = (more: Partial<DelegationState> = {}): DelegationState => ({
  ...{ status: 'done', seen: 'secure', isHosted: false },
  ...more,
});
const chips = (
  delegation: DelegationState | null,
  nodes = [node('ns1', true)],
  isChecked = true,
  dangling: Pick<DanglingView, 'missing'>[] = [],
) => buildChips({ nodes, delegation, isChecked, dangling }).map(({ text, kind }) => [text, kind]);
const last = (delegation: DelegationState | null, isChecked = true) => chips(delegation, [], isChecked).at(-1);

test('a zone that all nodes have, and that its parent delegates, has three good chips', () =>
  expect(chips(state(), [node('ns1', true), node('ns2', true)])).toEqual([
    ['Served 2/2', 'done'],
    ['Signed', 'done'],
    ['Delegated', 'done'],
  ]));
test('a zone with dangling names has a fourth chip, which is a failure if anyone can register a domain', () => {
  const missing = (kind: DanglingView['missing'], count = 1) =>
    Array.from({ length: count }, () => ({ missing: kind }));
  const fourth = (dangling: Pick<DanglingView, 'missing'>[]) => chips(state(), [], true, dangling)[3];
  expect(fourth([])).toBe(undefined);
  expect(fourth(missing('name'))).toEqual(['1 dangling name', 'warn']);
  expect(fourth([...missing('name', 2), ...missing('domain')])).toEqual(['3 dangling names', 'failed']);
  expect(fourth(missing('name', SUMMARIZED))).toEqual(['100 or more dangling names', 'warn']);
});
test('a zone that a node has not applied is served in part, and one without nodes is not served', () => {
  expect(chips(state(), [node('ns1', true), node('ns2', false)])[0]).toEqual(['Served 1/2', 'warn']);
  expect(chips(state(), [])[0]).toEqual(['Not served', 'failed']);
});
test.each<[string, string, DelegationState | null]>([
  ['DS missing', 'warn', state({ status: 'ds_required', seen: 'insecure' })],
  ['Not delegated', 'warn', state({ status: 'ds_required', seen: 'absent' })],
  ['Delegation unknown', '', state({ status: 'ds_required', seen: 'unknown' })],
  ['Delegation unknown', '', null],
  ['Claim missing', 'warn', state({ status: 'handshake_claim_required', seen: 'absent' })],
  ['Delegated', 'done', state({ seen: null, isHosted: true })],
  ['Delegated', 'done', state({ seen: null })],
])('the last chip of a zone is %s (%s)', (text, kind, delegation) => expect(last(delegation)).toEqual([text, kind]));
test('a service that asks no parent zones claims nothing about a delegation', () =>
  expect(last(state({ seen: null }), false)).toEqual(['Delegation not checked', '']));
test('a step at the registrar is left only if the parent zone lacks the DS record', () => {
  expect(isStepLeft(state({ status: 'ds_required', seen: 'absent' }))).toBe(true);
  expect([isStepLeft(state()), isStepLeft(null)]).toEqual([false, false]);
});

test('a head without an answer of the parent zone has links to the pages with the state', () => {
  const text = render('zones/chips', { home: '/z', chips: null });
  expect([...text.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    '/z/live',
    '/z/delegation',
    '/z/delegation',
  ]);
});
test('the card of a new zone has name servers, DS record, check and a form that hides it', () => {
  const zone = {
    zoneName: 'a.example',
    nameservers: ['ns1.x', 'ns2.x'],
    ds: [{ record: 'a.example. IN DS 1 13 2 ff' }],
  };
  const text = render('zones/next-step', { home: '/z', zone });
  expect(text).toContain('ns1.x\nns2.x');
  expect(text).toContain('a.example. IN DS 1 13 2 ff');
  expect(text).toContain('href="/z/delegation">Check now');
  expect(text).toMatch(/action="\/z\/hide-card">\s*<input type="hidden" name="_csrf" value="token">/);
});
