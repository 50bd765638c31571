// Reads, checks and writes zone files in one call, for tests that do not need the pauses between the steps.
import { type Child, zoneCheckSteps } from '#dns/rules/zone-check.ts';
import type { Steps } from '#dns/steps.ts';
import { type FileRecord, type ZoneFile, type ZoneFileContext, zoneFileSteps } from '#dns/zonefile/read.ts';
import { writeHead, writeRecords } from '#dns/zonefile/write.ts';

/** Runs all steps without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function readZoneFile(text: string, context: ZoneFileContext): ZoneFile {
  return finish(zoneFileSteps(text, context));
}

export function checkZone(records: readonly FileRecord[], zone: string, children: readonly Child[]) {
  return finish(zoneCheckSteps(records, zone, children));
}

type Head = Parameters<typeof writeHead>[0];
type Records = Parameters<typeof writeRecords>[0];

export function writeZoneFile({ records, ...head }: Head & { records: Records }): string {
  return writeHead(head) + writeRecords(records);
}
