// Matches the namespaces and the names of a grant; allowedRecords and acme share these rules.
import { type JudgedName, permitsName, spellsName } from '#dns/names/certified.ts';
import { parseOwnerName } from '#dns/names/name.ts';
import type { NamespaceGrant } from './dnszone.ts';

type Labels = Readonly<Record<string, string>>;
/** Returns the labels of a namespace, or undefined when the namespace is unknown. */
export type LabelsOf = (namespace: string) => Labels | undefined;

/** Whether the grant applies to the namespace. @param zoneNamespace the namespace of the zone */
export function isFromThere(
  { from, selector }: NamespaceGrant,
  zoneNamespace: string,
  namespace: string,
  labelsOf: LabelsOf,
): boolean {
  if (from === 'All') return true;
  if (from === 'Same') return namespace === zoneNamespace;
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

/**
 * Whether one of the patterns permits the name: `*` permits every name, `*.dev` every name below dev, and any other
 * pattern the same name.
 */
export function permitsOneOf(patterns: readonly string[], judgedName: JudgedName): boolean {
  return patterns.some((pattern) => permitsName(canonical(pattern), judgedName));
}

/** The same for the name of the record itself, which a pattern must spell if it proves control over another name. */
export function spellsOneOf(patterns: readonly string[], judgedName: JudgedName): boolean {
  return patterns.some((pattern) => spellsName(canonical(pattern), judgedName));
}

/** The form in which names are compared: lower case, A-labels. A pattern that is not a valid name permits no name. */
function canonical(pattern: string): string {
  const parsed = parseOwnerName(pattern, 'invalid', 'TXT');
  return parsed.ok ? parsed.value : '';
}
