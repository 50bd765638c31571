// Clusters of a test service: heartbeats, drain and restore over HTTP, and a loss without the wait of a minute.
import { type Method, type Reply, refusal } from '../http/requests.ts';
import type { TestService } from './service.ts';

type Who = { text: string };

export function clusterApi(service: TestService) {
  /** Sends a request below /v1/clusters. */
  const send = (who: Who, method: Method, path: string): Promise<Reply> =>
    service.request(method, `/../clusters${path}`, undefined, who.text);
  /** The status of a success, or status and code of a refusal. */
  const says = async (who: Who, method: Method, path: string): Promise<number | string> => {
    const reply = await send(who, method, path);
    return reply.status < 300 ? reply.status : refusal(reply);
  };
  return { send, says, lose: (name: string) => loseCluster(service, name) };
}

const LIMIT_MS = 60_000;
/** Times for a service whose clusters are lost only by `lose`, however slow the machine is. */
export const CLUSTER_TIMES = { lostMs: 1_800_000, gapMs: 10_000 };

/** Makes the service believe that the cluster has been silent for an hour, and waits until its records are settled. */
export async function loseCluster({ sql }: Pick<TestService, 'sql'>, name: string): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  // On a busy machine, a gap in the watch may begin the silence again.
  for (;;) {
    await sql`update cluster_watch set since = now() - interval '1 hour'`;
    await sql`update clusters set heartbeat_at = now() - interval '1 hour' where name = ${name} and lost_at is null`;
    const [row] =
      await sql`select lost_at is not null and unmarked_since is null as done from clusters where name = ${name}`;
    if (row?.done === true) return;
    if (Date.now() > end) throw new Error(`the cluster ${name} was not lost within ${LIMIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
