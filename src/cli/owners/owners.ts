// `zonestead owners …`: the owners of records, over the REST API.
import { readOwnerPages } from '#client/lists.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { CommandGroup } from '../command.ts';
import { confirm } from '../confirm.ts';
import { DRY_RUN_OPTION, type DryRunOption, YES_OPTION, type YesOption } from '../options.ts';
import { show } from '../output.ts';
import { readDefinitions } from '../rest/check-definitions.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

const list = describeRestCommand({
  name: 'list',
  describe: 'list the owners in a zone and the records that they own',
  arguments: [ZONE],
  options: [
    { flags: '--prefix <text>', describe: 'list only owners that begin with this text, for instance k8s:prod/' },
  ],
  run: (session, [zone = ''], { prefix }: { prefix?: string }) => listOwners(session, zone, prefix),
});

const release = describeRestCommand({
  name: 'release',
  describe:
    'release everything that an owner has in a zone; its records are deleted, or stay if the owner retains them',
  arguments: [ZONE, { usage: '<owner>', describe: 'the owner, as "owners list" prints it' }],
  options: [YES_OPTION, DRY_RUN_OPTION],
  run: (session, [zone = '', owner = ''], options: YesOption & DryRunOption) =>
    releaseOwner(session, zone, owner, options),
});

const manifests = describeRestCommand({
  name: 'manifests',
  describe: 'print the records of the DNSRecords of a cluster as DNSRecords, for objects that Kubernetes lost',
  arguments: [ZONE, { usage: '<cluster>', describe: 'name of the cluster, as "clusters list" prints it' }],
  options: [
    {
      flags: '--zone-ref <namespace/name>',
      describe: 'the DNSZone of the zone, for the zoneRef of the DNSRecords',
      isRequired: true,
    },
  ],
  notes:
    'The names of the objects are those of the owners. kubectl create -f - creates those that are missing, and reports the others as existing.',
  run: (session, [zone = '', cluster = ''], { zoneRef }: { zoneRef?: string }) =>
    printManifests(session, zone, cluster, zoneRef),
});

export const command: CommandGroup = {
  name: 'owners',
  describe: 'owners of records: Kubernetes objects, external-dns and others that apply their own records',
  examples: [
    'zonestead owners list shop.example',
    'zonestead owners release shop.example k8s:prod/team-a/www --dry-run',
  ],
  commands: [list, release, manifests],
};

const HEADING = ['OWNER', 'NAME', 'TYPE', 'STATE', 'VALUES'];

/** @throws Error if the API key cannot see the zone */
async function listOwners(session: Session, nameOrId: string, prefix: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const owners: OwnedSet[] = [];
  for await (const page of readOwnerPages(client, id, { prefix }, { signal })) owners.push(...page);
  await show(session, { owners }, () => {
    if (owners.length === 0) print('no owner has records in this zone');
    else table(HEADING, owners.map(rowOf), print);
  });
}

function rowOf({ owner, name, type, records, drifted, share, expires }: OwnedSet): string[] {
  const states = [drifted ? 'changed by others' : 'as applied', ...(share ? ['shared'] : [])];
  if (expires !== null) states.push(`until ${expires}`);
  return [owner, name, type, states.join(', '), records.map(({ content }) => content).join(' ') || '-'];
}

/** @throws Error if the release is not confirmed or is refused */
async function releaseOwner(
  session: Session,
  nameOrId: string,
  owner: string,
  options: YesOption & DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (options.dryRun) {
    const sets: OwnedSet[] = [];
    for await (const page of readOwnerPages(client, id, { prefix: owner }, { signal })) sets.push(...page);
    const own = sets.filter((set) => set.owner === owner);
    return show(session, { dryRun: true, owners: own }, () => {
      print(`would release ${own.length} record sets of ${owner}`);
      if (own.length > 0) table(HEADING, own.map(rowOf), print);
    });
  }
  await confirm(`this releases everything that ${owner} has in ${zoneName}`, options, signal);
  const body = { atomic: true, sets: [{ owner, release: true }] };
  const {
    results: [result],
  } = await client.call(applyRecords, { params: { id }, body }, { signal });
  const changed = result?.status === 200 && 'changed' in result && result.changed;
  await show(session, { owner, changed }, () =>
    print(changed ? `released the records of ${owner}` : `${owner} had no records to delete in this zone`),
  );
}

/**
 * @throws Error for a zoneRef of another form, and after the output if sets were omitted, so that a pipe into kubectl
 * does not hide it
 */
async function printManifests(
  session: Session,
  nameOrId: string,
  cluster: string,
  zoneRef: string | undefined,
): Promise<void> {
  const { client, signal, print } = session;
  const [namespace = '', name = '', ...rest] = (zoneRef ?? '').split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new Error('--zone-ref must name a DNSZone as NAMESPACE/NAME, such as --zone-ref dns/example');
  const [{ planOwnedManifests }, { toYaml }] = await Promise.all([import('./manifests.ts'), import('#base/yaml.ts')]);
  const { id, owner } = await zoneOf(session, nameOrId);
  const sets: OwnedSet[] = [];
  for await (const page of readOwnerPages(client, id, { prefix: `k8s:${cluster}/` }, { signal })) sets.push(...page);
  const records = sets.flatMap((set) => set.records);
  const definitions = await readDefinitions(session, owner, records);
  const { objects, leftOut } = planOwnedManifests(sets, cluster, { namespace, name }, definitions);
  await show(session, { apiVersion: 'v1', kind: 'List', items: objects }, () =>
    print(objects.map(toYaml).join('\n---\n')),
  );
  if (leftOut.length > 0) throw new Error(`a DNSRecord cannot express these: ${leftOut.join('; ')}`);
}
