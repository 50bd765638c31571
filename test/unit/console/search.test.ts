// The search over all zones: names in their zone, and the form of the dialog.
import { expect, test } from 'vitest';
import { nameInZone } from '#console/search/target.ts';
import { render } from '../../support/console/render.ts';

test('a whole name is searched for below its zone', () => {
  expect(nameInZone('WWW.Shop.a.example.', 'a.example')).toBe('www.shop');
  expect([nameInZone('a.example', 'a.example'), nameInZone('xa.example', 'a.example')]).toEqual([null, null]);
});

test('the search over all zones works without scripts, says when nothing matches, and escapes what was typed', () => {
  const text = render('search/form', { text: '"><b>', zones: [], record: null });
  expect(text).toMatch(/<form method="get" action="\/console\/search"/);
  expect(text).toContain('None of your zones matches');
  expect(text).not.toContain('<b>');
});
