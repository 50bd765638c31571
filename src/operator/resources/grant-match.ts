// The parts of a grant that are the same wherever a zone gives one: which namespaces, which names. Pure.
import { parseOwnerName } from '../../dns/name.ts';
import type { NamespaceGrant } from './dnszone.ts';

type Labels = Readonly<Record<string, string>>;
/** Labels of a namespace; undefined when it is not known. */
export type LabelsOf = (namespace: string) => Labels | undefined;

/** Whether the grant is for the namespace. @param own the namespace of the zone */
export function isFromThere(
  { from, selector }: NamespaceGrant,
  own: string,
  namespace: string,
  labelsOf: LabelsOf,
): boolean {
  if (from === 'All') return true;
  if (from === 'Same') return namespace === own;
  const labels = labelsOf(namespace);
  if (labels === undefined || selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      return value === undefined || !values.includes(value);
    })
  );
}

/** `*` permits every name, `*.dev` every name below dev, anything else itself. @param name canonical, relative */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) return name.endsWith(`.${canonical(pattern.slice(2))}`);
  return name === canonical(pattern);
}

/** As record names are compared: lower case, A-labels. A pattern that can be no name matches none. */
function canonical(pattern: string): string {
  const parsed = parseOwnerName(pattern, 'invalid', 'TXT');
  return parsed.ok ? parsed.value : pattern;
}
