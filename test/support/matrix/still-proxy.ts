// A TCP proxy before the API server whose open connections can go still: bytes are no longer passed on in either direction,
// and neither side hears of it, as behind a firewall that has forgotten a connection. New connections work.
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';

export interface StillProxy {
  /** The path of the kubeconfig with this proxy as its server. */
  readonly kubeconfig: string;
  /** Every connection that is open now goes still. Says how many. */
  still(): number;
  /** How many connections there have been. */
  connections(): number;
  close(): Promise<void>;
}

export async function startStillProxy(port: number, kubeconfig: string): Promise<StillProxy> {
  const open = new Set<[Socket, Socket]>();
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    const far = connect(port, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
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
    connections: () => connections,
    still: () => {
      for (const [near, far] of open) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
      }
      return open.size;
    },
    close: () =>
      new Promise((resolve) => {
        for (const pair of open) for (const socket of pair) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
