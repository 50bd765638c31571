// The arguments and options that commands about health checks share.

import type { CheckView } from '#contract/checks.ts';
import { getCheck } from '#contract/operations/checks.ts';
import type { OptionDescription } from '../command.ts';
import type { Session } from '../rest/session.ts';

export const CHECK = { usage: '<check>', describe: 'name of the check' } as const;

export interface OwnerOption {
  owner?: string;
}

export const OWNER: OptionDescription = {
  flags: '--owner <owner>',
  describe: 'org:<teamId>, or personal (default: the team of an app key, or the only owner with such a check)',
};

/** @throws Error if it does not exist */
export function readCheck({ client, signal }: Session, name: string, owner: string | undefined): Promise<CheckView> {
  return client.call(getCheck, { params: { name }, query: { owner } }, { signal });
}
