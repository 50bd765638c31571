// The answers of forms: the wrong field with its sentence and the focus, and messages with the button that takes a
// change back.
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { listOf } from '#console/records/new.ts';
import { previewRecord } from '#console/records/preview.ts';
import { placeErrors, secondsIn } from '#console/records/record-input.ts';
import { render } from '../../support/console/render.ts';

const at = (current?: string) =>
  listOf({ headers: { 'hx-current-url': current } } as unknown as FastifyRequest, '/console/zones/z1');

test('a new record leads back to the list as the person saw it, and to no other page', () => {
  expect(at('https://dns.example/console/zones/z1?q=mail&sort=-ttl')).toBe('/console/zones/z1?q=mail&sort=-ttl');
  expect(at('https://dns.example/console/zones/z1?add=MX')).toBe('/console/zones/z1');
  for (const other of [undefined, 'nonsense', 'https://dns.example/console/zones/z2?q=x', 'javascript:alert(1)'])
    expect(at(other)).toBe('/console/zones/z1');
});

test('an error about the content belongs to the field of a type with a single one', () => {
  expect(placeErrors({ content: 'Wrong.', ttl: 'Low.' }, 'A')).toEqual({ 'f-address': 'Wrong.', ttl: 'Low.' });
  expect(placeErrors({ content: 'Wrong.' }, 'SRV')).toEqual({ content: 'Wrong.' });
  expect(placeErrors(undefined, 'A')).toEqual({});
});

const field = (errors: object) =>
  ['name', 'ttl'].map((name) =>
    render('shell/partials/field', { errors, field: { name, label: name, autofocus: name === 'name' } }),
  );

test('the first wrong field has the focus in place of the first field', () => {
  const [first, second] = field({});
  expect([first?.includes(' autofocus'), second?.includes(' autofocus')]).toEqual([true, false]);
  const [right, wrong] = field({ '': 'The form.', ttl: 'Too low.' });
  expect([right?.includes(' autofocus'), wrong?.includes(' autofocus')]).toEqual([false, true]);
  expect(wrong).toMatch(/aria-describedby="ttl-error"[^>]*aria-invalid="true"/);
});

test('a preview says nothing about a mistake that a field shows', () => {
  const preview = { line: null, note: 'not an IPv4 address' };
  expect(render('records/preview', { preview, errors: {} })).toContain('not an IPv4 address');
  expect(render('records/preview', { preview, errors: { 'f-address': 'Not an IPv4 address.' } })).not.toContain('IPv4');
});

test('a message of a change has the form that takes it back, with its token', () => {
  const undo = { address: '/console/zones/z1/undo', fields: [['requestId', 'r"1']] };
  const text = render('shell/partials/flash', { flash: { kind: 'done', text: 'Deleted.', undo } });
  expect(text).toContain('class="notice done toast"');
  expect(text).toMatch(
    /<form method="post" action="\/console\/zones\/z1\/undo">\s*<input type="hidden" name="_csrf" value="token">/,
  );
  expect(text).toContain('name="requestId" value="r&quot;1"');
});

test('a message that is not a success stays in the page, without a button', () => {
  const text = render('shell/partials/flash', { flash: { kind: 'warn', text: 'Careful.' } });
  expect(text).toContain('class="notice warn"');
  expect(text).not.toContain('<form');
});

test('the answer to a deletion has the message and the number of records that are left', () => {
  const text = render('records/deleted-record', { flash: { kind: 'done', text: 'Deleted.' }, records: 1_234 });
  expect(text).toMatch(/<hx-partial hx-target="#message" hx-swap="innerHTML">[\s\S]*Deleted\./);
  expect(text).toContain('<hx-partial hx-target="#record-count" hx-swap="innerHTML">1,234</hx-partial>');
});

test('a TTL is typed in seconds or with a unit, and any other text is refused', () => {
  expect(['300', '5m', '1h', '1 d', '1h30m'].map(secondsIn)).toEqual([300, 300, 3_600, 86_400, 5_400]);
  for (const text of ['soon', '1x', '-5']) expect(secondsIn(text)).toBeNaN();
});

test('a CNAME at the zone itself is answered with the type that does it, before its target is judged', () => {
  const zone = { zoneName: 'a.example', defaultTtl: 60 };
  for (const name of ['@', 'A.example.'])
    expect(previewRecord({ type: 'CNAME', name, 'f-target': '' }, zone).instead).toBe('ALIAS');
  expect(previewRecord({ type: 'CNAME', name: 'www', 'f-target': '' }, zone).instead).toBeUndefined();
});

test('the form for a new record has its fields in one line, with the zone after the name, and needs no scripts', () => {
  const preview = { line: null, note: '' };
  const data = {
    home: '/z',
    zone: { zoneName: 'a.example', defaultTtl: 60 },
    type: 'A',
    types: ['A', 'MX'],
    meanings: { A: 'IPv4 address' },
    fields: [],
    ownerFields: [],
    values: {},
    id: '',
    preview,
  };
  const text = render('records/new-form', data);
  expect(text).toContain('A – IPv4 address');
  expect(text).toContain('aria-hidden="true">.a.example<');
  expect(text).toMatch(/<form method="post" action="\/z\/records"[^>]*>/);
  expect(text).not.toContain('hx-target="#new-record"');
  expect(text).toMatch(/<details class="more">/);
  expect(render('records/new-form', { ...data, isHtmx: true, typed: { comment: 'x' } })).toMatch(
    /hx-target="#new-record"[\s\S]*<details class="more" open>/,
  );
});
