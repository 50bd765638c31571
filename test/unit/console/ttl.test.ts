// TTLs in words, and the row of a record with them.
import { expect, test } from 'vitest';
import { formatTtl } from '#console/shell/ttl.ts';
import { denialField } from '#console/zones/denial-field.ts';
import { render } from '../../support/console/render.ts';

test.each([
  [30, '30 s'],
  [60, '1 min'],
  [90, '90 s'],
  [300, '5 min'],
  [3_600, '1 h'],
  [5_400, '90 min'],
  [86_400, '1 day'],
  [172_800, '2 days'],
])('a TTL of %i seconds is %s', (seconds, words) => expect(formatTtl(seconds)).toBe(words));

const record = {
  id: 'rec_1',
  label: 'mail MX',
  name: 'mail',
  type: 'MX',
  content: 'mx.example.',
  ttl: 3_600,
  managedBy: null,
};
const row = (more: object) => render('records/row', { home: '/z', record: { ...record, ...more } });

test('the row of a record has its TTL in words, the seconds in the title, and says whether it is the default', () => {
  expect(row({ priority: null, isDefaultTtl: true })).toMatch(
    /class="quiet" title="3600 seconds, the default of the zone">1 h</,
  );
  expect(row({ priority: null, isDefaultTtl: false })).toMatch(/<span title="3600 seconds">1 h</);
});

test('the row of a record has a priority before its content, and no column for it', () => {
  expect(row({ priority: 0 })).toMatch(
    /title="Priority"><span class="unseen">priority <\/span>0<\/span> mx\.example\./,
  );
  expect(row({ priority: null })).not.toContain('Priority');
  expect(row({ priority: 10 }).match(/<t[hd][ >]/g)).toHaveLength(6);
});

test('the settings of a zone have the dangerous changes in a part of their own', () => {
  const zone = {
    zoneName: 'a.example',
    state: 'active',
    defaultTtl: 60,
    denial: 'NSEC',
    managedBy: null,
    updatedAt: '2026-11-21T11:59:59.000Z',
  };
  const text = render('zones/settings', {
    title: 'Settings',
    home: '/z',
    zone,
    secondaries: { rows: [], boxes: [], chosen: [] },
    ...denialField,
  });
  const [before = '', danger = ''] = text.split('class="danger-zone"');
  expect(before).not.toMatch(/action="\/z\/park"|href="\/z\/delete"/);
  expect(danger).toMatch(/action="\/z\/park"[\s\S]*href="\/z\/delete"/);
});
