/** PTR: a pointer to a name (RFC 1035 section 3.3.12); DNS-SD (RFC 6763) points to service labels with it. */
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { pointer } from './pointer.ts';

export const PTR = defineType({
  number: 12,
  form: 'a host name',
  example: 'www.example.org',
  fields: [host('Target')],
  ...pointer({ syntax: 'any', root: false }),
});
