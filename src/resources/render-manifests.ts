// The manifests of a zone as a file for kubectl.
import { toYaml } from '#base/yaml.ts';
import type { Manifest } from './manifests.ts';

export type ManifestFormat = 'yaml' | 'json';

export interface ManifestOutput {
  format: ManifestFormat;
  /** Absent: the objects get the namespace that they are applied in. */
  namespace?: string | undefined;
}

export const LIVE_ZONE = {
  first:
    '# A zone of the DNS service. If you apply this file, the objects take over the zone, and nothing changes in DNS.',
  administrator: 'An administrator must allow this once',
};

/**
 * One YAML stream for `kubectl apply -f -`, or one List in JSON, without the final line break. Its comments are
 * sentences of this file: a text of others could end its line, and begin an object. Pure: the same zone gives the same
 * text.
 */
export function renderManifests(
  objects: readonly Manifest[],
  { format, namespace = '<namespace>' }: ManifestOutput,
  { first, administrator }: typeof LIVE_ZONE = LIVE_ZONE,
): string {
  if (format === 'json') return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2);
  const head = [
    first,
    `# ${administrator}, unless spec.credentialsSecretRef names an API key of your own:`,
    `#   kubectl label namespace ${namespace} zonestead.dev/existing-zones=allow`,
    '# Afterwards, the deletion of an object deletes its records, unless spec.deletionPolicy is Retain.',
  ];
  return `${head.join('\n')}\n${objects.map(toYaml).join('\n---\n')}`;
}
