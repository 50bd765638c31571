/** CNAME: the name that this one stands for (RFC 1035 section 3.3.1). Service labels are common in targets. */
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { pointer } from './pointer.ts';

export const CNAME = defineType({
  number: 5,
  form: 'a host name',
  example: 'www.example.org',
  fields: [host('Target')],
  isSingle: true,
  ...pointer({ syntax: 'any', root: false }),
});
