// A connection that dies during a transaction: the transaction fails, later statements of its code reach no connection,
// and the pool keeps working. (The driver alone ends the process, or lets such a statement run outside of any
// transaction.)
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, findOutage, openDatabase, type Tx } from '#store/database.ts';
import { sql } from '#store/drizzle.ts';
import { startTcpRelay } from '../../support/http/tcp-relay.ts';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.ts';

let ground: TestDatabase;
let database: Database;

beforeAll(async () => {
  ground = await cloneDatabase();
  database = openDatabase(ground.url, { max: 2 });
});
afterAll(async () => {
  await database.close();
  await ground.close();
});

const insert = (on: Tx, id: string) => on.build.execute(sql`insert into teams (id, name) values (${id}, ${id})`);
const teams = async () => (await ground.sql`select id from teams order by id`).map(({ id }) => id);

/** Ends the backend of the transaction, and gives the client time to hear of it. */
async function loseConnection(tx: Tx): Promise<void> {
  const [own] = await tx.build.execute(sql`select pg_backend_pid() as pid`);
  const pid = own?.pid as number;
  await ground.sql`select pg_terminate_backend(${pid})`;
  const isThere = async () => (await ground.sql`select from pg_stat_activity where pid = ${pid}`).length > 0;
  await expect.poll(isThere).toBe(false);
  await sleep(200);
}

test('a statement sent after the loss is refused, and nothing of the transaction is written', async () => {
  let refused: unknown;
  const transaction = database.db.transaction(async (tx) => {
    await insert(tx, 'before');
    await loseConnection(tx);
    await insert(tx, 'after').catch((error) => {
      refused = error;
    });
  });
  await expect(transaction).rejects.toThrow();
  await expect.poll(() => String((refused as Error | undefined)?.cause ?? refused)).toMatch(/transaction has ended/);
  expect(await teams()).toEqual([]);
});

test('a statement in a savepoint is refused too, and a result that comes too late is not committed', async () => {
  const nested = database.db.transaction(async (tx) => {
    await loseConnection(tx);
    await tx.transaction((inner) => insert(inner, 'nested'));
  });
  await expect(nested).rejects.toThrow();
  const late = database.db.transaction(async (tx) => {
    await insert(tx, 'late');
    await loseConnection(tx);
    return 'done';
  });
  await expect(late).rejects.toThrow();
  expect(await teams()).toEqual([]);
});

test('a statement under way fails, and the next ones are served at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const slow = database.db.transaction(async (tx) => {
      const [own] = await tx.build.execute(sql`select pg_backend_pid() as pid`);
      setTimeout(() => void ground.sql`select pg_terminate_backend(${own?.pid as number})`.execute(), 20);
      await Promise.all([tx.build.execute(sql`select pg_sleep(60)`), insert(tx, `slow${round}`)]);
    });
    await expect(slow).rejects.toThrow();
    await database.db.transaction((tx) => insert(tx, `next${round}`));
  }
  expect(await teams()).toEqual(['next0', 'next1', 'next2', 'next3', 'next4']);
});

test('a statement fails in time behind an address that accepts connections and closes them', {
  timeout: 300_000,
}, async () => {
  const relay = await startTcpRelay();
  const { username, password } = new URL(ground.url);
  const closing = openDatabase(`postgres://${username}:${password}@127.0.0.1:${relay.port}/none`, { max: 2 });
  onTestFinished(async () => {
    await closing.close(0);
    await relay.close();
  });
  const error = await closing.db.build.execute(sql`select 1`).catch((thrown) => thrown);
  expect(findOutage(error)).toBe('nothing');
});
