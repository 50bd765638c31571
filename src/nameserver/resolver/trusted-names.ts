// Which authoritative answers an owner trusts: this service's own name server, in the list of resolvers, has authority
// for the zones of every team, and anyone can create a zone with any name.
import { listSuffixes } from '#dns/names/name.ts';
import type { Db } from '#store/database.ts';
import { hostedZone } from '#store/due-targets.ts';
import type { IsTrustedName } from './resolver.ts';

/** Trusts answers for names in the zones of the owner, and for names that no zone here has. */
export function trustWithin(db: Db, owner: string): IsTrustedName {
  return async (name) => {
    const zone = await hostedZone(db, listSuffixes(name));
    return zone === null || zone.owner === owner;
  };
}
