// The author of a change of credentials, with the rules that hold for them (architecture A32):
//
//                                 a member of the team, or a key of it  an administrator of the service
//     the quota of the team       limits the number of keys and trusts  does not apply
//     writes a minute             at most the limits of the service     any number
//     a trust's issuer, audience  must be the team's own                takes them: trusts of other teams end
//     keys of an issuer           at public addresses                   anywhere, also those of the own cluster
//
// Members use REST or the console. An administrator works on the database: with the command line, or as the Job of an
// installation.
import type { Person } from '../accounts/actor.ts';
import { COMMAND_LINE } from '../administrator.ts';
import type { Caller } from '../context.ts';

export interface Author {
  isAdministrator: boolean;
  /** The person who creates a credential; null: a key or an administrator does. */
  creator: Person | null;
  /** The author as the history keeps it. */
  history: { keyId: string | null; requestId: string };
}

/** The caller of an operation. @param creator null: the caller is a key of the team */
export function callerAsAuthor({ actor, requestId }: Caller, creator: Person | null): Author {
  return { isAdministrator: false, creator, history: { keyId: actor.keyId, requestId } };
}

/** An administrator at the command line. */
export const ADMINISTRATOR: Author = { isAdministrator: true, creator: null, history: COMMAND_LINE };
/** The Job of an installation. */
export const INSTALLATION: Author = {
  isAdministrator: true,
  creator: null,
  history: { keyId: null, requestId: 'bootstrap' },
};
