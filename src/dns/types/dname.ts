/** DNAME: the name that all names below this one are redirected to (RFC 6672). */
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { pointer } from './pointer.ts';

export const DNAME = defineType({
  number: 39,
  form: 'the name that all names below this one are redirected to',
  example: 'new.example.org',
  fields: [host('Target', 'All names below this one are redirected to this name.')],
  isSingle: true,
  ...pointer({ syntax: 'any', root: false }),
});
