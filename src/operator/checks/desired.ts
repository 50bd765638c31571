// The check that a DNSRecord asks for: its own definition, or the name of one. Pure.
import { readStatus } from '#base/check-form.ts';
import { type ProbeDefinition, probeBody } from '#contract/checks.ts';
import { accept, refuse, type Verdict } from '#dns/verdict.ts';
import type { HealthCheck } from '#resources/health-check.ts';

export type DesiredCheck =
  | { readonly kind: 'own'; readonly definition: ProbeDefinition }
  | { readonly kind: 'shared'; readonly name: string };

/** @returns null: no check */
export function judgeCheck(spec: HealthCheck | undefined): Verdict<DesiredCheck | null> {
  if (spec === undefined) return accept(null);
  const { checkRef, expect, ...fields } = spec;
  if (checkRef !== undefined) return accept({ kind: 'shared', name: checkRef });
  const definition = probeBody.safeParse({
    ...fields,
    ...(expect === undefined ? {} : { expect: expect.map(readStatus) }),
  });
  if (definition.success) return accept({ kind: 'own', definition: definition.data });
  const [issue] = definition.error.issues;
  return refuse(`healthCheck.${issue?.path.join('.') ?? ''}`, issue?.message ?? '');
}
