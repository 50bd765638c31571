// A TCP proxy before the API server whose open connections can go silent: it drops the data in both directions and
// informs neither side, as a firewall does that has forgotten a connection. New connections work.
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';

/** The connections that were open when they went still. */
export interface Stilled {
  readonly count: number;
  /** Bytes of the API server that never reached the client. */
  lost(): number;
  /** How many of them the client has given up. */
  closed(): number;
}

export interface StillProxy {
  /** The path of the kubeconfig with this proxy as its server. */
  readonly kubeconfig: string;
  /** Every connection that is open now goes still. */
  still(): Stilled;
  /** While true, new connections are refused. (At first: false.) */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

export async function startStillProxy(port: number, kubeconfig: string): Promise<StillProxy> {
  const open = new Set<readonly [near: Socket, far: Socket]>();
  let isRefusing = false;
  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    open.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = `${kubeconfig}.still`;
  const text = await readFile(kubeconfig, 'utf8');
  const mine = typeof address === 'object' && address !== null ? address.port : 0;
  await writeFile(own, text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${mine}`), { mode: 0o600 });
  return {
    kubeconfig: own,
    still: () => {
      let lost = 0;
      let closed = 0;
      const count = open.size;
      for (const [near, far] of open) {
        near.unpipe(far);
        far.unpipe(near);
        // Read on, so that the end of the connection is seen.
        near.resume();
        far.resume();
        far.on('data', (chunk) => {
          lost += chunk.length;
        });
        near.on('close', () => {
          closed += 1;
        });
      }
      return { count, lost: () => lost, closed: () => closed };
    },
    refuse: (wanted) => {
      isRefusing = wanted;
    },
    close: () =>
      new Promise((resolve) => {
        for (const pair of open) for (const socket of pair) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
