// People with keys of their own, and their requests below /v1/account.
import { randomBytes } from 'node:crypto';
import { adminAddPerson } from '#service/accounts/add-person.ts';
import { type Method, type Reply, refusal } from '../http/requests.ts';
import type { TestService } from './service.ts';

export interface TestPerson {
  id: string;
  email: string;
  /** The token for `Bearer`. */
  text: string;
  keyId: string;
  /** The id of the team. Empty if none was requested. */
  team: string;
}

let people = 0;

/** Adds a person, and to a team if one is named. The team is created if it does not exist. */
export async function addPerson(
  service: TestService,
  options: { team?: string; role?: 'owner' | 'member'; email?: string } = {},
): Promise<TestPerson> {
  const email = options.email ?? `person${++people}@example.org`;
  const team =
    options.team === undefined ? null : { team: options.team, createTeam: true, role: options.role ?? 'owner' };
  const person = { email, name: `Person ${people}`, keyName: 'test', team };
  const added = await adminAddPerson(service.database.url, person, randomBytes, new Date());
  return { id: added.userId, email, text: added.text, keyId: added.keyId, team: added.teamId ?? '' };
}

export interface AccountApi {
  /** Sends a request below /v1/account. */
  send(who: { text: string }, method: Method, path: string, body?: unknown): Promise<Reply>;
  /** The status of a success, or status and code of a refusal, for example `403 forbidden`. */
  says(who: { text: string }, method: Method, path: string, body?: unknown): Promise<number | string>;
  /** Sends a request below /v1/dns. */
  dns(who: { text: string }, method: Method, path: string, body?: unknown): Promise<number | string>;
}

export function accountApi(service: TestService): AccountApi {
  const send: AccountApi['send'] = (who, method, path, body) =>
    service.request(method, `/../account${path}`, body, who.text);
  const verdict = (reply: Reply) => (reply.status < 300 ? reply.status : refusal(reply));
  return {
    send,
    says: async (...request) => verdict(await send(...request)),
    dns: async (who, method, path, body) => verdict(await service.request(method, path, body, who.text)),
  };
}
