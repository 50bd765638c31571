// `zonestead zones apply`: makes the records of a zone those of a zone file.
import { ApiError } from '#client/errors.ts';
import { importZoneFile } from '#contract/operations/zone-files.ts';
import { describeCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { deletedIn } from '../difference.ts';
import { readInput } from '../input.ts';
import {
  DRY_RUN_OPTION,
  type DryRunOption,
  FORCE_OPTION,
  type ForceOption,
  YES_OPTION,
  type YesOption,
} from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from '../rest/access.ts';
import { waitIn } from '../rest/command.ts';
import { confirmOwned } from '../rest/owned.ts';
import { showPreview } from '../rest/preview.ts';
import type { Session } from '../rest/session.ts';
import { checkWait, WAIT_OPTIONS, type WaitOptions } from '../rest/wait-options.ts';
import { withRest } from '../rest/with-rest.ts';
import { compareFile, isManifest } from '../rest/zone-files.ts';

/** The service checks and writes 100,000 records in less time. */
const LIMIT_MS = 120_000;

type ApplyOptions = OutputOption &
  ContextOption &
  WaitOptions &
  DryRunOption &
  YesOption &
  ForceOption & { zone?: string };

export const apply = describeCommand({
  name: 'apply',
  describe: 'make the records of a zone those of a zone file, all or nothing',
  arguments: [{ usage: '<file>', describe: 'zone file; "-" reads standard input' }],
  options: [
    { flags: '--zone <zone>', describe: 'name or id of the zone (default: the first $ORIGIN of the file)' },
    YES_OPTION,
    FORCE_OPTION,
    DRY_RUN_OPTION,
    ...WAIT_OPTIONS,
    OUTPUT_OPTION,
    CONTEXT_OPTION,
  ],
  notes: 'Records of the zone that the file does not contain are deleted.',
  settings: [...REST_SETTINGS, 'ZONESTEAD_NAMESERVER_ADDRESSES'],
  examples: ['zonestead zones apply shop.zone --dry-run', 'zonestead zones apply shop.zone --zone shop.example'],
  run: async ([path = ''], options: ApplyOptions, context) => {
    checkWait(options);
    const text = await readInput(path, context.signal);
    await withRest(context, options, async (session, { ZONESTEAD_NAMESERVER_ADDRESSES: addresses }) => {
      const zoneId = await applyZoneFile(session, { path, text }, options);
      if (zoneId !== null) await waitIn(session, zoneId, options, addresses);
    });
  },
});

/**
 * @returns the id of the changed zone; null in a dry run
 * @throws Error with the numbers of wrong lines, and unless the change of owned records and the deletion of several are
 * confirmed
 */
export async function applyZoneFile(
  session: Session,
  { path, text }: { path: string; text: string },
  options: DryRunOption & YesOption & ForceOption & { zone?: string },
): Promise<string | null> {
  const { client, signal, print } = session;
  if (isManifest(text))
    throw new Error(`${path} holds manifests: apply them with kubectl apply -f, which the operator follows`);
  const { zone, differences, touched, etag } = await compareFile(session, text, options.zone);
  if (options.dryRun) {
    await showPreview(session, differences, touched);
    return null;
  }
  await confirmOwned(touched, options, signal);
  const deleted = deletedIn(differences);
  if (deleted > 1) await confirm(`this deletes ${deleted} records of ${zone.zoneName}`, options, signal);
  const done = await client
    .call(importZoneFile, { params: { id: zone.id }, body: text }, { signal, timeoutMs: LIMIT_MS, ifMatch: etag })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      throw new Error(
        `the records of ${zone.zoneName} changed after they were compared with ${path}, so nothing was written; run the command again`,
      );
    });
  await show(session, done, () => {
    const { created, updated, deleted: gone, unchanged, ignored } = done;
    print(`${zone.zoneName}: ${created} created, ${updated} updated, ${gone} deleted, ${unchanged} unchanged`);
    if (ignored > 0) print(`${ignored} lines are ignored, because the service makes these records itself`);
  });
  return zone.id;
}
