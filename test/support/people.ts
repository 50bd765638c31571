// People with keys of their own, and requests below /v1/account as they send them.
import { randomBytes } from 'node:crypto';
import { adminAddPerson } from '../../src/zones/administration.ts';
import { type Method, type Reply, refusal } from './api.ts';
import type { TestService } from './service.ts';

export interface TestPerson {
  id: string;
  email: string;
  /** What goes behind `Bearer`. */
  text: string;
  keyId: string;
  /** Id of the team, empty when none was asked for. */
  team: string;
}

let people = 0;

/** A person, in a team (made when there is none) when one is named. */
export async function addPerson(
  service: TestService,
  options: { team?: string; role?: 'owner' | 'member'; email?: string } = {},
): Promise<TestPerson> {
  const email = options.email ?? `person${++people}@example.org`;
  const team = options.team === undefined ? null : { name: options.team, role: options.role ?? 'owner' };
  const person = { email, name: `Person ${people}`, keyName: 'test', team };
  const added = await adminAddPerson(service.database.url, person, randomBytes, new Date());
  return { id: added.userId, email, text: added.text, keyId: added.keyId, team: added.teamId ?? '' };
}

export interface AccountApi {
  /** Below /v1/account. */
  send(who: { text: string }, method: Method, path: string, body?: unknown): Promise<Reply>;
  /** The status of a success, `403 forbidden` and the like of a refusal. */
  says(who: { text: string }, method: Method, path: string, body?: unknown): Promise<number | string>;
  /** The same below /v1/dns. */
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
