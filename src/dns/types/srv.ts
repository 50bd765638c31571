/**
 * SRV: priority, weight, port and target of a service (RFC 2782); the target `.` means that the service is not offered.
 */
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { host, number } from './content-fields.ts';
import { defineType } from './define.ts';
import { parseTarget } from './hostname.ts';
import { SERVICE_LABELS } from './owner-fields.ts';
import type { ParsedRdata } from './rdata.ts';
import { fields, parseUint } from './tokens.ts';

const SYNTAX = 'priority weight port target';

export const SRV = defineType({
  number: 33,
  layout: ['number', 'number', 'number', 'name'],
  syntax: SYNTAX,
  form: 'priority, weight, port, target',
  example: '10 5 5060 sip.example.org',
  fields: [
    number('priority', 'Priority', 'Clients try lower numbers first.'),
    number('weight', 'Weight', 'The share among records of the same priority.'),
    number('port', 'Port'),
    host('Target', 'A dot says that the service is not offered.'),
  ],
  ownerFields: SERVICE_LABELS,
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const [first = '', second = '', third = '', name = '', ...more] = fields(content);
  if (name === '' || more.length > 0) {
    return refuse('content', `An SRV record is "${SYNTAX}", for instance "10 5 5060 sip.example.com".`);
  }
  const priority = parseUint(first, 65_535, 'priority');
  if (!priority.ok) return priority;
  const weight = parseUint(second, 65_535, 'weight');
  if (!weight.ok) return weight;
  const port = parseUint(third, 65_535, 'port');
  if (!port.ok) return port;
  const target = parseTarget(name, { syntax: 'host', root: true });
  if (!target.ok) return target;
  const numbers = [priority.value, weight.value, port.value];
  return accept({
    content: `${numbers.join(' ')} ${target.value.text}`,
    rdata: `${numbers.join(' ')} ${target.value.absolute}`,
    wire: concat([...numbers.map(uint16), target.value.wire]),
    target: target.value.host,
    priority: null,
  });
}
