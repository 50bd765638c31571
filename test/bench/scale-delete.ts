// Deletes many DNSRecords at once: how long until all objects are gone, and their answers.
import { ask } from '#nameserver/probe/probe.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { printBar } from './bars.ts';
import { BETWEEN_LOOKS_MS, bulk, CREATORS, type Ground, inParallel, seconds } from './scale-bulk.ts';
import { costs, printSpent, spentBetween } from './scale-costs.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

/**
 * Deletes every record that was made and waits until the objects are gone, and the rows from which the name servers
 * answer.
 * @param most the most seconds
 */
export async function deleteAll(ground: Ground, most?: number): Promise<void> {
  const { api, sql, signal } = ground;
  const count = ground.made.length;
  const before = await costs(ground);
  const start = performance.now();
  const asked = inParallel(ground.made, CREATORS, ({ object: name }) =>
    api.delete(DNS_RECORD, { name, namespace: 'default' }, {}, signal),
  ).then(() => seconds(start));
  const rowsGone = untilDone(signal, async () => {
    const [row] = await sql`select count(*)::integer as count from records`;
    return row?.count === 0;
  }).then(() => seconds(start));
  const answersGone = rowsGone.then(async () => {
    await allGone(ground);
    return seconds(start);
  });
  const objects = async () => (await api.list(DNS_RECORD, { limit: 1 }, signal)).items.length;
  const objectsGone = asked.then(async () => {
    await untilDone(signal, async () => (await objects()) === 0);
    return seconds(start);
  });
  const [done, rows, dns, kube] = (await Promise.all([asked, rowsGone, answersGone, objectsGone])).map(figure);
  print(
    `${count} deleted: all asked for after ${done} s, gone from the service ${rows} s, from DNS ${dns} s, objects ${kube} s`,
  );
  printSpent(spentBetween(before, await costs(ground)), count);
  if (most !== undefined)
    printBar({ what: 'all gone', value: Math.max(await answersGone, await objectsGone), most, unit: 's' });
  ground.made = [];
}

async function untilDone(signal: AbortSignal, isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) {
    await delay(BETWEEN_LOOKS_MS, signal);
    signal.throwIfAborted();
  }
}

/** Asks for each in turn until no address is left. */
async function allGone({ stack, signal, made }: Ground): Promise<void> {
  for (const { name } of made)
    await untilDone(signal, async () => {
      const { answers } = await ask(stack.service.dns, { name, type: 'A' }, { signal });
      return answers.length === 0;
    });
}

/** The same again and again, for a profile of a warm process. */
export async function waves(ground: Ground, { count, rounds }: { count: number; rounds: number }): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await bulk(ground, { count, zones: 1 });
    await deleteAll(ground);
  }
}
