/**
 * ALIAS: the host whose addresses are served at this name. It is not a DNS type; the service resolves the host itself.
 */
import { host } from './content-fields.ts';
import { defineType } from './define.ts';
import { pointer } from './pointer.ts';

export const ALIAS = defineType({
  number: null,
  form: 'a host name, whose addresses are served at this name',
  example: 'lb-1234.cloud.example',
  fields: [host('Target', 'The addresses of this host are served at the name.')],
  isSingle: true,
  ...pointer({ syntax: 'any', root: false }),
});
