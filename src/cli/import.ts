// `zonestead zones import --to-manifests`: a live zone as YAML that takes it over. It reads only; kubectl does the rest.
import { stringify } from 'yaml';
import { type Manifests, planManifests } from './manifests.ts';
import { type Session, show, zoneOf } from './session.ts';

// As kubectl reads it (YAML 1.1): what would turn into a time or a truth value is quoted, and no line is folded.
const YAML = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** @throws Error after all is printed, when records are left out: whoever pipes this into kubectl must hear of it */
export async function importZone(
  session: Session,
  nameOrId: string,
  { namespace }: { namespace?: string },
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records = await client.records.list(zone.id, {}, { signal });
  const manifests = planManifests(zone, records, namespace);
  const list = { apiVersion: 'v1', kind: 'List', items: manifests.objects };
  show(session, list, () => print(renderManifests(zone.zoneName, manifests, namespace)));
  const { length } = manifests.leftOut;
  if (length > 0) {
    const words = manifests.leftOut.map(({ name, type, why }) => `${name} ${type} (${why})`).join('; ');
    throw new Error(`${length} record(s) cannot be a DNSRecord and stay as they are: ${words}`);
  }
}

/** One YAML stream for `kubectl apply -f -`, without its final line break. Pure: the same zone gives the same text. */
export function renderManifests(zoneName: string, { objects, leftOut }: Manifests, namespace = '<namespace>'): string {
  const head = [
    `# ${zoneName} as it is at the DNS service. Applied, it is taken over as it stands; nothing changes in DNS.`,
    '# Needs, once, from an administrator, unless spec.credentialsSecretRef names an API key of your own:',
    `#   kubectl label namespace ${namespace} zonestead.dev/existing-zones=allow`,
    '# From then on an object that is deleted takes its records along, unless spec.deletionPolicy is Retain.',
    // One line each: a line break in a record's text would end the comment.
    ...leftOut.map(({ name, type, why }) => `# Left out, and left alone: ${name} ${type}: ${why}`.replace(/\s+/g, ' ')),
  ];
  return `${head.join('\n')}\n${objects.map((object) => stringify(object, YAML).trimEnd()).join('\n---\n')}`;
}
