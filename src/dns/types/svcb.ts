/**
 * SVCB and HTTPS: how to reach a service (RFC 9460). Priority 0 is the alias form and takes no parameters; target `.`
 * means this name, or in alias form that the service does not exist (section 2.5.1).
 */
import { accept, refuse } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { host, number } from './content-fields.ts';
import { defineType } from './define.ts';
import { parseTarget } from './hostname.ts';
import type { ParseContent } from './rdata.ts';
import { parseSvcParams } from './svcparams.ts';
import { parseUint } from './tokens.ts';

const SYNTAX = 'priority target params';

const CONTENT = {
  layout: ['number', 'name', 'params'],
  syntax: SYNTAX,
  form: 'priority, target, parameters',
  fields: [
    number('priority', 'Priority', '0: an alias of the target. Otherwise clients try lower numbers first.'),
    host('Target', 'A host name. A dot stands for the name of the record.'),
    { name: 'params', label: 'Parameters', isRest: true, isOptional: true },
  ],
} as const;

export const HTTPS = defineType({
  number: 65,
  ...CONTENT,
  example: '1 . alpn=h2,h3 ipv4hint=192.0.2.10',
  parse: createParser(`An HTTPS record is "${SYNTAX}", for instance "1 . alpn=h2,h3".`),
});

export const SVCB = defineType({
  number: 64,
  ...CONTENT,
  example: '1 dns.example.org alpn=dot port=853',
  parse: createParser(`An SVCB record is "${SYNTAX}", for instance "1 dns.example.com alpn=dot port=853".`),
});

/** @param shape a sentence that shows the form of the content */
function createParser(shape: string): ParseContent {
  return (content) => {
    const parts = /^[ \t]*([^ \t]+)[ \t]+([^ \t]+)(.*)$/su.exec(content);
    if (parts === null) return refuse('content', shape);
    const [, first = '', name = '', rest = ''] = parts;
    const priority = parseUint(first, 65_535, 'priority');
    if (!priority.ok) return priority;
    const target = parseTarget(name, { syntax: 'any', root: true });
    if (!target.ok) return target;
    const params = parseSvcParams(rest);
    if (!params.ok) return params;
    if (priority.value === 0 && params.value.text !== '') {
      return refuse(
        'content',
        'Priority 0 is the alias form, which takes no parameters; remove them or use priority 1.',
      );
    }
    const form = (targetName: string): string =>
      [priority.value, targetName, params.value.text].filter((part) => part !== '').join(' ');
    return accept({
      content: form(target.value.text),
      rdata: form(target.value.absolute),
      wire: concat([uint16(priority.value), target.value.wire, params.value.wire]),
      target: target.value.host,
      priority: null,
    });
  };
}

/** Whether a record of this type and wire form is in alias form. */
export function isAliasForm({ type, wire }: { type: string; wire: Uint8Array }): boolean {
  return (type === 'HTTPS' || type === 'SVCB') && wire[0] === 0 && wire[1] === 0;
}
