// Reads the parts of requests that can be refused alone: the changes of a batch, and sets of records. Pure.
import type { z } from 'zod';
import { recordChange } from '#contract/batch.ts';
import { recordSet } from '#contract/owners.ts';
import { ENTITY_TAGS_RULE } from '#contract/shared.ts';
import { hashOfPost } from '#http/hooks/auth.ts';
import { readTags } from '#http/hooks/conditions.ts';
import type { SetInput } from '#service/owners/set.ts';
import type { BatchChange } from '#service/records/batch.ts';
import { type Refusal, toIssuesRefusal } from '#service/refusal.ts';

/** @param url the address of the single POST that the change stands for */
export function readChange(change: unknown, url: string): BatchChange | Refusal {
  const parsed = recordChange.safeParse(change);
  if (parsed.success) {
    if (parsed.data.action !== 'create') return withCondition(parsed.data);
    if (parsed.data.idempotencyKey === undefined) return parsed.data;
    const { record, idempotencyKey: token, requestId } = parsed.data;
    return { action: 'create', record, requestId, once: { token, requestHash: hashOfPost(url, record) } };
  }
  // The rules name a field without its parent: `content`, not `record.content`.
  const issues = parsed.error.issues.map(({ path, ...issue }) => ({
    ...issue,
    path: path[0] === 'record' && (path.length > 1 || 'keys' in issue) ? path.slice(1) : path,
  }));
  return toIssuesRefusal(issues, 'invalid-value');
}

/** An update or deletion with its condition. */
function withCondition({
  ifMatch,
  ...change
}: Exclude<z.output<typeof recordChange>, { action: 'create' }>): BatchChange | Refusal {
  if (ifMatch === undefined) return change;
  const tags = readTags(ifMatch);
  if (tags === null) return toIssuesRefusal([{ path: ['ifMatch'], message: ENTITY_TAGS_RULE }]);
  return { ...change, condition: { ifMatch: tags, ifNoneMatch: null, field: 'ifMatch' } };
}

export function readSet(set: unknown): SetInput | Refusal {
  const parsed = recordSet.safeParse(set);
  return parsed.success ? parsed.data : toIssuesRefusal(parsed.error.issues, 'invalid-value');
}
