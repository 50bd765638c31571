// `zonestead zones apply`: makes the records of a zone those of a zone file.
import { ApiError } from '#client/errors.ts';
import { importZoneFile } from '#contract/operations/zone-files.ts';
import { confirm } from '../confirm.ts';
import { deletedIn } from '../difference.ts';
import type { DryRunOption, ForceOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { isManifest } from '../rest/manifest-files.ts';
import { confirmOwned } from '../rest/owned.ts';
import { showPreview } from '../rest/preview.ts';
import type { Session } from '../rest/session.ts';
import { compareFile } from '../rest/zone-files.ts';

/** The service checks and writes 100,000 records in less time. */
const LIMIT_MS = 120_000;

/**
 * @throws Error with the numbers of wrong lines, and unless the change of owned records and the deletion of several are
 * confirmed
 */
export async function applyZoneFile(
  session: Session,
  { path, text }: { path: string; text: string },
  options: DryRunOption & YesOption & ForceOption & { zone?: string },
): Promise<void> {
  const { client, signal, print } = session;
  if (isManifest(text))
    throw new Error(`${path} holds manifests: apply them with kubectl apply -f, which the operator follows`);
  const { zone, differences, touched, etag } = await compareFile(session, text, options.zone);
  if (options.dryRun) return showPreview(session, differences, touched);
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
    print(
      `${zone.zoneName}: ${created} records are created, ${updated} updated, ${gone} deleted, ${unchanged} unchanged`,
    );
    if (ignored > 0) print(`${ignored} lines are ignored, because the service makes these records itself`);
  });
}
