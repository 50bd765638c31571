// The context of operations that a test calls without the api, for instance because no request reaches them yet.
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { Keyring } from '#base/keyring.ts';
import { createZoneQueue } from '#service/change/queue.ts';
import type { ServiceContext } from '#service/context.ts';
import { limitWork } from '#service/permits.ts';
import { openDatabase } from '#store/database.ts';
import { NAMESERVERS } from './service.ts';

/**
 * To be called at the top of a test file. @param url that of the database; the connection closes after the file's tests
 */
export function openServiceContext(url: string): ServiceContext {
  const { db, close } = openDatabase(url);
  afterAll(() => close());
  const slots = limitWork({ total: 1, share: 1, waiting: 1, waitMs: 60_000, work: 'reads' });
  return {
    db,
    queue: createZoneQueue(60_000),
    busyAfterMs: 60_000,
    imports: slots,
    additions: slots,
    largeReads: slots,
    keyring: new Keyring([]),
    nameservers: NAMESERVERS,
    quotas: { zones: 100, records: 100_000, bytes: 100_000_000, keys: 100, members: 100 },
    historyBytes: 2 ** 27,
    quarantineMs: 0,
    now: () => new Date(),
    random: randomBytes,
  };
}
