// A TCP relay in front of a server, for tests: it can be cut off, lead elsewhere, or spread its connections over
// several servers in turn, as a balanced Service does.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpRelay {
  port: number;
  /** Where connections lead, one after the other. With none every connection is refused. */
  lead(...ports: number[]): void;
  /** Ends the open connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startTcpRelay(...first: number[]): Promise<TcpRelay> {
  let ports = first;
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const port = ports[connections++ % Math.max(1, ports.length)];
    if (port === undefined) return void incoming.destroy();
    const outgoing = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead: (...next) => {
      ports = next;
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
