// The target of a challenge value: the name in a zone of the account where a CA looks for it.
import { fqdn, orderName, parseLookupName } from '#dns/names/name.ts';
import { recordsAt } from '#store/records.ts';
import { type Actor, mustWriteRecord } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { insist, refusal } from '../refusal.ts';
import { findTarget, type Target } from '../zones/lookup.ts';

/** The number of CNAMEs that resolvers usually follow. */
const MAX_LINKS = 16;

/**
 * The target of a challenge for `name`: this name, or the target of its CNAMEs in the zones of this account, because a
 * CA follows CNAMEs (RFC 8555 section 8.4). A key that is restricted to some names follows the CNAMEs at these names
 * only, because it must not learn which records exist at other names.
 * @throws Refusal bad_request, not_found (no zone of this key encloses it), forbidden
 */
export async function findChallengeTarget(context: ServiceContext, actor: Actor, name: string): Promise<Target> {
  const first = insist(parseLookupName(name));
  let at = first;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const target = await findTarget(context, actor, at);
    if (!target) {
      if (at === first) throw refusal('no-enclosing-zone', { name: at });
      // A key that is restricted to other types does not see CNAMEs in lists, so this message does not reveal one
      // either.
      const outside = actor.onlyTypes === null || actor.onlyTypes.includes('CNAME') ? at : 'another name';
      throw refusal('cname-leaves-account', { name: first, target: outside });
    }
    mustWriteRecord(actor, target.zone.id, { name: target.name, type: 'TXT' });
    const cname = (await recordsAt(context.db, target.zone.no, [orderName(target.name)])).find(
      ({ type }) => type === 'CNAME',
    );
    if (!cname) return target;
    at = cname.rdata.replace(/\.$/, '');
  }
  throw refusal('cname-circle', { name: first, limit: MAX_LINKS });
}

/** The absolute name of a target, without the final dot. */
export function nameOf({ zone, name }: Target): string {
  return fqdn(name, zone.name);
}
