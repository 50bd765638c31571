// `zonestead admin after-restore`: the rights that a restore of the database made valid again, and their revocation.
import { dropUnprintable } from '#base/printable.ts';
import type { AfterRestore, UndoneEnding } from '#service/nodes/after-restore.ts';
import { confirm } from '../confirm.ts';
import { DRY_RUN_OPTION, type DryRunOption, sayer, type YesOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

interface AfterRestoreOptions extends OutputOption, DryRunOption, YesOption {
  revokeSince?: string;
}

export const afterRestore = describeAdminCommand({
  name: 'after-restore',
  describe: 'list what a restore of the database undid, as the name servers remember it',
  options: [
    {
      flags: '--revoke-since <time>',
      describe:
        'revoke the keys that were revoked before the restore, and every key and session that was made, used or changed since this time (ISO 8601)',
    },
    DRY_RUN_OPTION,
    { flags: '--yes', describe: 'revoke without a question' },
    OUTPUT_OPTION,
  ],
  notes:
    'The name servers remember revoked keys and trusts, removed members, suspended people and drained clusters for 35 days. Rights that were reduced, networks, ends and pinned subjects are not remembered, and neither are secrets that were replaced.',
  run: (administration, _args, options: AfterRestoreOptions) => listUndone(administration, options),
});

async function listUndone(administration: Administration, options: AfterRestoreOptions): Promise<void> {
  const { url, print, signal } = administration;
  const since = parseSince(options.revokeSince);
  const { adminAfterRestore } = await import('#service/nodes/after-restore.ts');
  const result = await adminAfterRestore(url, signal);
  await show(outputOf(administration, options), { ...result }, () => printResult(result, print));
  if (since !== null) await revokeKeys(administration, result, since, options);
}

/** @throws Error if the text is not a time */
function parseSince(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()))
    throw new Error(`--revoke-since: "${text}" is not a time in ISO 8601, for instance 2027-01-31T12:00:00Z`);
  return time;
}

const EFFECTS: Readonly<Record<UndoneEnding['action'], string>> = {
  'key.revoke': 'is valid again',
  'trust.revoke': 'is valid again',
  'member.remove': 'is a member again',
  'user.suspend': 'is not suspended any more',
  'user.remove': 'is there again',
  'cluster.drain': 'is not drained any more',
  'cluster.restore': 'is drained again',
};

const REMEDIES: Readonly<Record<UndoneEnding['action'], string>> = {
  'key.revoke': 'zonestead admin keys revoke',
  'trust.revoke': 'zonestead admin trusts revoke',
  'member.remove': 'an owner of the team removes the member',
  'user.suspend': 'zonestead admin users suspend',
  'user.remove': 'zonestead admin users remove',
  'cluster.drain': 'zonestead clusters drain',
  'cluster.restore': 'zonestead clusters restore',
};

function printResult(
  { held, undone, nodes, remembered, unproven }: AfterRestore,
  print: Administration['print'],
): void {
  const rows = undone.map(({ action, subject, name, team, at }) =>
    [action.split('.')[0] ?? '', subject, name, team ?? '', at, EFFECTS[action], REMEDIES[action]].map(dropUnprintable),
  );
  if (rows.length > 0) table(['KIND', 'ID', 'NAME', 'TEAM', 'ENDED', 'STATE', 'REMEDY'], rows, print);
  const who = `${nodes.join(', ') || 'no name server'} ${nodes.length > 1 ? 'remember' : 'remembers'}`;
  print(`${undone.length} of ${remembered} endings that ${who} are undone`);
  if (unproven > 0) print(`${unproven} endings are of another database, and were not compared`);
  for (const name of held.names) print(dropUnprintable(`${name}: only the name servers have this zone`));
  if (held.count > 0) print(`${held.count} zones are missing: zonestead admin nodes salvage --all`);
}

async function revokeKeys(
  { url, print, signal }: Administration,
  { undone }: AfterRestore,
  since: Date,
  options: AfterRestoreOptions,
): Promise<void> {
  const { adminKeysTouchedSince } = await import('#service/nodes/after-restore.ts');
  const { adminRevokeKey } = await import('#service/credentials/administration.ts');
  const touched = await adminKeysTouchedSince(url, since);
  const labels = new Map(touched.map(({ id, name, holder }) => [id, `${name} of ${holder}`]));
  for (const { kind, subject, name } of undone) if (kind !== null) labels.set(subject, name);
  const say = sayer(print, options);
  if (!options.dryRun && labels.size > 0)
    await confirm(`this revokes ${labels.size} keys and sessions permanently (--dry-run lists them)`, options, signal);
  for (const [id, label] of labels) {
    await adminRevokeKey(url, id, new Date(), { dryRun: options.dryRun });
    say(dropUnprintable(`key ${id} (${label}) is revoked`));
  }
  say(`${labels.size} keys and sessions revoked`);
}
