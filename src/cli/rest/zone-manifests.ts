// `zonestead zones export --format manifests`: prints the manifests that take over a live zone. It changes nothing.
import { stringify } from 'yaml';
import { YAML_OPTIONS } from '../output.ts';
import { type Manifests, planManifests } from './manifests.ts';
import { type Session, zoneOf } from './session.ts';

/** @throws Error after the output if records were omitted, so that a pipe into kubectl does not hide it */
export async function exportManifests(
  session: Session,
  nameOrId: string,
  namespace: string | undefined,
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records = await client.records.list(zone.id, {}, { signal });
  const manifests = planManifests(zone, records, namespace);
  print(renderManifests(zone.zoneName, manifests, namespace));
  const { length } = manifests.leftOut;
  if (length > 0) {
    const words = manifests.leftOut.map(({ name, type, why }) => `${name} ${type} (${why})`).join('; ');
    throw new Error(`${length} record(s) cannot be a DNSRecord and stay unchanged: ${words}`);
  }
}

/**
 * One YAML stream for `kubectl apply -f -`, without its final line break. Pure: the same zone gives the same text.
 * @param first the first comment. (Default: for a zone of the service.)
 */
export function renderManifests(
  zoneName: string,
  { objects, leftOut }: Manifests,
  namespace = '<namespace>',
  first?: string,
): string {
  const head = [
    first ??
      `# The zone ${zoneName} of the DNS service. If you apply this file, the objects take over the zone, and nothing changes in DNS.`,
    `# ${first === undefined ? 'An' : 'If the zone exists there, an'} administrator must allow this once, unless spec.credentialsSecretRef names an API key of your own:`,
    `#   kubectl label namespace ${namespace} zonestead.dev/existing-zones=allow`,
    '# Afterwards, the deletion of an object deletes its records, unless spec.deletionPolicy is Retain.',
    // A line break in the content of a record would end the comment.
    ...leftOut.map(({ name, type, why }) => `# Omitted and unchanged: ${name} ${type}: ${why}`.replace(/\s+/g, ' ')),
  ];
  return `${head.join('\n')}\n${objects.map((object) => stringify(object, YAML_OPTIONS).trimEnd()).join('\n---\n')}`;
}
