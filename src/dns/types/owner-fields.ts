/**
 * The labels that begin the names of some types, as fields of a form: `_sip` and `_tcp` of `_sip._tcp.www` (RFC 2782,
 * RFC 6698 section 3). Pure.
 */
import type { ContentField, FieldValues } from './content-fields.ts';

const PROTOCOL: ContentField = {
  name: 'protocol',
  label: 'Protocol',
  example: '_tcp',
  choices: [
    ['_tcp', 'TCP'],
    ['_udp', 'UDP'],
    ['_tls', 'TLS'],
    ['_sctp', 'SCTP'],
  ],
};

/** The labels of a service. */
export const SERVICE_LABELS: readonly ContentField[] = [
  {
    name: 'service',
    label: 'Service',
    example: '_sip',
    hint: 'Begins the name: _sip._tcp.www. Empty: the name has it.',
  },
  PROTOCOL,
];

/** The labels of a port. */
export const PORT_LABELS: readonly ContentField[] = [
  {
    name: 'service',
    label: 'Port of the name',
    example: '_443',
    hint: 'Begins the name: _443._tcp.www. Empty: the name has it.',
  },
  PROTOCOL,
];

/**
 * The name with the labels before it.
 * @param name the name without them, or with them already; `@` is the zone itself, and an empty name stays empty
 */
export function nameOfFields(labels: readonly ContentField[], values: FieldValues, name: string): string {
  const texts = labels.map((field) => (values[field.name] ?? '').trim());
  if (name === '' || texts.length === 0 || texts.includes('')) return name;
  const start = texts.map((text) => (text.startsWith('_') ? text : `_${text}`)).join('.');
  if (name === '@' || name === start || name.startsWith(`${start}.`)) return name === '@' ? start : name;
  return `${start}.${name}`;
}
