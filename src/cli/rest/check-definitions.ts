// The definitions of the checks that records name, for the manifests of these records.
import { isSharedCheck } from '#base/check-form.ts';
import { listChecks } from '#contract/operations/checks.ts';
import type { CheckDefinitions } from '#resources/manifest-check.ts';
import type { Session } from './session.ts';

/**
 * Asks only if a record has the check of an object: a check of the team stays a name.
 * @param owner the owner of the zone
 * @throws errors of the service
 */
export async function readDefinitions(
  { client, signal }: Pick<Session, 'client' | 'signal'>,
  owner: string,
  records: readonly { readonly check?: string | undefined }[],
): Promise<CheckDefinitions> {
  if (records.every(({ check }) => check === undefined || isSharedCheck(check))) return new Map();
  const { checks } = await client.call(listChecks, { query: { owner } }, { signal });
  return new Map(checks.map(({ name, definition }) => [name, definition]));
}
