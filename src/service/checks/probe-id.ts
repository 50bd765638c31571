// The name of a probe, under which name servers report about it. Pure.
import { createHash } from 'node:crypto';
import type { CheckDefinition } from '#base/probes/definition.ts';
import type { TargetKey } from '#store/check-targets.ts';

/** Another text for another address, check or definition. */
export function writeProbeId({ owner, checkName, address }: TargetKey, definition: CheckDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, checkName, address, Object.entries(definition).sort()]))
    .digest('base64url')
    .slice(0, 22);
}
