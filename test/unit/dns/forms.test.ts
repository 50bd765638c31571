// The examples that the console and the reference show: the service accepts every one, at a name that the type may have.
import { expect, it } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { TYPE_FORMS } from '#dns/types/forms.ts';
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import { ZONE } from './build.ts';

it.each(Object.entries(TYPE_FORMS))('the example of %s is accepted', (type, { example }) => {
  const name = ['SRV', 'TLSA'].includes(type) ? '_443._tcp' : 'name';
  const parsed = parseRecord({ name, type: type === 'TYPEn' ? 'TYPE65280' : type, content: example }, ZONE);
  expect(parsed).toMatchObject({ ok: true });
});

it('every type has a form, in the order of the list', () => {
  expect(Object.keys(TYPE_FORMS)).toEqual([...RECORD_TYPES, 'TYPEn']);
});
