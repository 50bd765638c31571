// The preview of an undo or a restore as pages show it: the first differences, conflicts and records of owners, with
// their numbers. Its id lets a form be bound to the differences that the person saw.
import { hash } from 'node:crypto';
import { writeHealth } from '#contract/check-text.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import type { ShownValue, UndoResult } from '#service/undo/answer.ts';
import { isClash } from '../shell/seen.ts';
import { clipText } from '../shell/shown.ts';

/** Entries of each list that a page shows. */
const SHOWN = 100;
/** How often a preview is made again because the zone changed between it and the change. */
const ATTEMPTS = 3;

/** Makes a preview, or the change. @param etag the state that the change must find */
export type MakeChange = (options: { dryRun: boolean; etag?: string | undefined }) => Promise<UndoResult>;

/**
 * Makes the change if it makes the differences that the person saw. A change of other records does not matter.
 * @param seenId the id of the preview that the person saw
 * @throws Refusal precondition_failed, and as `make`
 */
export async function makeAsSeen(make: MakeChange, seenId: string): Promise<UndoResult> {
  for (let attempt = 1; ; attempt += 1) {
    const preview = await make({ dryRun: true });
    if (identifyPreview(preview) !== seenId) throw refusal('another-difference');
    try {
      return await make({ dryRun: false, etag: preview.etag });
    } catch (error) {
      if (!(error instanceof Refusal && isClash(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Identifies the differences and conflicts of a preview. If it has more than an answer lists, only the same state has
 * the same id.
 */
export function identifyPreview({ total, differences, conflicts, etag }: UndoResult): string {
  const isCut = total.differences > differences.length || total.conflicts > conflicts.length;
  const { differences: differenceCount, conflicts: prevented } = total;
  const values = [differenceCount, prevented, differences, conflicts, isCut ? etag : null];
  return hash('sha256', JSON.stringify(values), 'base64url');
}

/** The data that `zones/difference` needs. */
export function previewDifferences({ total, differences, conflicts, owned }: UndoResult) {
  return {
    total,
    shown: SHOWN,
    differences: differences.slice(0, SHOWN).map(({ name, type, before, after }) => {
      const [old, now] = [before.map(formatLine), after.map(formatLine)];
      return {
        subject: `${clipText(name)} ${type}`,
        gone: old.filter((line) => !now.includes(line)),
        kept: old.filter((line) => now.includes(line)),
        come: now.filter((line) => !old.includes(line)),
      };
    }),
    conflicts: conflicts.slice(0, SHOWN).map(toSentence),
    owned: owned.slice(0, SHOWN).map(toSentence),
    isPossible: total.conflicts === 0 && total.differences > 0,
  };
}

/** `one name and type`, or `5,000 names and types`. */
export function placesIn(count: number): string {
  return count === 1 ? 'one name and type' : `${count.toLocaleString('en')} names and types`;
}

function toSentence({ name, type, message }: { name: string; type: string; message: string }) {
  return { subject: `${clipText(name)} ${type}`, message };
}

function formatLine({ content, ttl, priority, comment, reverse, ...shownHealth }: ShownValue): string {
  const health = writeHealth(shownHealth);
  const parts = `${health === '' ? '' : `, check: ${health}`}${reverse ? ', with a PTR record' : ''}`;
  const value = priority === undefined ? content : `${priority} ${content}`;
  return `${clipText(value)} (${ttl} s)${parts}${comment === undefined ? '' : ` # ${clipText(comment)}`}`;
}
