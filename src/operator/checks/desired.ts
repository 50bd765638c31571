// The check that a DNSRecord asks for: its own definition, or the name of one. Pure.
import { type CheckDefinition, checkBody } from '#contract/checks.ts';
import { accept, refuse, type Verdict } from '#dns/verdict.ts';
import type { HealthCheck } from '#resources/health-check.ts';

export type DesiredCheck =
  | { readonly kind: 'own'; readonly definition: CheckDefinition }
  | { readonly kind: 'shared'; readonly name: string };

/** @returns null: no check */
export function judgeCheck(spec: HealthCheck | undefined): Verdict<DesiredCheck | null> {
  if (spec === undefined) return accept(null);
  const { checkRef, expect, ...fields } = spec;
  if (checkRef !== undefined) return accept({ kind: 'shared', name: checkRef });
  const definition = checkBody.safeParse({
    ...fields,
    ...(expect === undefined ? {} : { expect: expect.map(toStatus) }),
  });
  if (definition.success) return accept({ kind: 'own', definition: definition.data });
  const [issue] = definition.error.issues;
  return refuse(`healthCheck.${issue?.path.join('.') ?? ''}`, issue?.message ?? '');
}

/** A status is a number at the service, and a class a text. */
function toStatus(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

export function isSameDefinition(one: CheckDefinition, other: CheckDefinition): boolean {
  const text = (definition: CheckDefinition) => JSON.stringify(Object.entries(definition).sort());
  return text(one) === text(other);
}
