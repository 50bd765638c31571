// The names of the checks of an owner, for a form that offers them.
import { listChecks } from '#store/checks.ts';
import { type Actor, readableOnly } from '../accounts/actor.ts';
import { toOwnerIds } from '../accounts/owner-text.ts';
import type { ServiceContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

/**
 * By name. Empty if the actor may not see them: a person with a grant for one zone may name a check, but not list them.
 * @param ownerText the owner of a zone
 */
export async function readCheckNames(context: ServiceContext, actor: Actor, ownerText: string): Promise<string[]> {
  if (readableOnly(actor) !== null) return [];
  try {
    const rows = await listChecks(context.db, toOwnerIds(actor, ownerText), null);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
