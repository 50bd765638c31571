// The check that a DNSRecord asks for: its own definition, the state of a Service, or the name of a check. Pure.
import { readStatus } from '#base/check-form.ts';
import { type CheckDefinition, probeBody } from '#contract/checks.ts';
import { accept, refuse, type Verdict } from '#dns/verdict.ts';
import type { RecordSpec } from '#resources/dnsrecord.ts';

export type DesiredCheck =
  | { readonly kind: 'own'; readonly definition: CheckDefinition }
  | { readonly kind: 'shared'; readonly name: string };

/** @returns null: no check */
export function judgeCheck({
  healthCheck,
  healthFrom,
}: Pick<RecordSpec, 'healthCheck' | 'healthFrom'>): Verdict<DesiredCheck | null> {
  // The operator sends its state (signals.ts).
  if (healthFrom !== undefined) return accept({ kind: 'own', definition: { type: 'signal' } });
  if (healthCheck === undefined) return accept(null);
  const { checkRef, expect, ...fields } = healthCheck;
  if (checkRef !== undefined) return accept({ kind: 'shared', name: checkRef });
  const definition = probeBody.safeParse({
    ...fields,
    ...(expect === undefined ? {} : { expect: expect.map(readStatus) }),
  });
  if (definition.success) return accept({ kind: 'own', definition: definition.data });
  const [issue] = definition.error.issues;
  return refuse(`healthCheck.${issue?.path.join('.') ?? ''}`, issue?.message ?? '');
}
