/** NS: a name server of a delegated subdomain (RFC 1035 section 3.3.11), a host name in the sense of RFC 1123. */
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { pointer } from './pointer.ts';

export const NS = defineType({
  number: 2,
  form: 'a host name',
  example: 'ns1.example.net',
  fields: [host('Name server')],
  ...pointer({ syntax: 'host', root: false }),
});
