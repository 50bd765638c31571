// Writes to a zone of its own at a release's REST service, at a pace that leaves two cores to the test that runs at the
// same time.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Request } from '../http/requests.ts';
import { startWriteLoad, type WriteLoad } from '../service/write-load.ts';
import type { Release } from './release.ts';

export interface Pace {
  /** Before each write, in ms. */
  pauseMs: number;
  writers: number;
}

/** @param name the name of the team and, below `example`, of its zone */
export async function startWrites(release: Release, name: string, { pauseMs, writers }: Pace): Promise<WriteLoad> {
  const { key, teamId } = await release.mintKey(name);
  const request = release.requests(key);
  const zoneName = `${name}.example`;
  const made = await request('POST', '/zones', { zoneName, owner: `org:${teamId}` });
  expect(made.status).toBe(200);
  const paced: Request = async (...words) => sleep(pauseMs).then(() => request(...words));
  return startWriteLoad(paced, [{ id: made.body.id as string, zoneName }], writers);
}
