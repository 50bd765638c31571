// The lists of zones and records: the search in sight, other choices in a menu, and the bar for selected rows.
import { expect, test } from 'vitest';
import { render } from '../../support/console/render.ts';

const head = { address: '?sort=x', sorted: null };
const heads = { name: head, type: head, content: head, ttl: head, changed: head, records: head };
const shared = {
  ...{
    title: 'Records',
    home: '/z',
    query: { q: 'mail' },
    sort: 'name',
    sorts: [['name', 'Name']],
    sizes: [25],
    size: 25,
  },
  ...{ heads, isFiltered: true, pages: {}, total: 1, from: 1, isChecked: false, ownerName: () => 'red', owners: [] },
};
const zone = {
  id: 'z1',
  zoneName: 'a.example',
  state: 'active',
  records: 1,
  owner: 'personal',
  updatedAt: '2026-11-21T11:59:59.000Z',
  managedBy: null,
};
const record = {
  id: 'rec_1',
  label: 'www A',
  name: 'www',
  type: 'A',
  content: '192.0.2.1',
  ttl: 60,
  priority: null,
  managedBy: null,
};
const own: object[] = [];
const pages = {
  records: render('records/records', { ...shared, zone, wanted: ['A'], own, records: [record] }),
  zones: render('zones/list', { ...shared, zones: [zone] }),
};

test.each(['records', 'zones'] as const)(
  'the list of %s has a search field and one choice, and the rest in a menu',
  (which) => {
    const [, form = ''] = /<form [^>]*role="search"([\s\S]*?)<\/form>/.exec(pages[which]) ?? [];
    const [before = '', menu = ''] = form.split('<details class="gear">');
    expect(before.match(/<select/g)).toHaveLength(1);
    expect(before).toMatch(/<label for="q" class="unseen">/);
    expect(menu).toContain('Sort by');
    // It works without scripts, and while a person types with them.
    expect(before).toContain('<button type="submit"');
    expect(form).toContain('hx-target="#list" hx-select="#list"');
  },
);

test('the list of records has a bar for the selected rows, which its button Clear empties without scripts', () => {
  const [, bar = ''] = /<form [^>]*id="selected"([\s\S]*?)<\/form>/.exec(pages.records) ?? [];
  expect(bar).toContain('class="selection"');
  expect(bar).toContain('<button type="reset"');
  expect(pages.records).toMatch(/<input type="checkbox" name="id" value="rec_1" form="selected"/);
});
