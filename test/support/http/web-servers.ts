// Web servers at loopback addresses that share a port, as the addresses behind one name do. Each can be stopped and
// started again, and told how to answer.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface WebServer {
  address: string;
  /** How it answers. (At first: 200.) */
  answer: (response: ServerResponse) => void;
  /** Refuses connections from now on. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Requests so far. */
  requests: number;
}

export const ok = (response: ServerResponse): unknown => response.writeHead(200).end();

let groups = 0;

/**
 * Starts servers at addresses that no other test has: an address is probed twice a second, by whichever checks.
 * @param count how many
 */
export async function startWebServers(count: number): Promise<{ port: number; servers: WebServer[] }> {
  groups += 1;
  const servers: WebServer[] = [];
  let port = 0;
  for (let at = 1; at <= count; at += 1) {
    const server = await startWebServer(`127.0.${groups}.${at}`, port);
    port = server.port;
    servers.push(server.web);
  }
  allServers.push(...servers);
  return { port, servers };
}

const allServers: WebServer[] = [];
afterAll(async () => {
  await Promise.all(allServers.map((server) => server.stop()));
});

async function startWebServer(address: string, wantedPort: number): Promise<{ port: number; web: WebServer }> {
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  let port = wantedPort;
  const web: WebServer = {
    address,
    answer: ok,
    requests: 0,
    start: () =>
      new Promise((resolve, reject) => {
        const newServer = createServer((_, response) => {
          web.requests += 1;
          web.answer(response);
        });
        newServer.on('connection', (socket) => {
          sockets.add(socket);
          socket.on('close', () => sockets.delete(socket));
        });
        newServer.on('error', reject);
        newServer.listen(port, address, () => {
          port = (newServer.address() as AddressInfo).port;
          server = newServer;
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        if (server === null) return resolve();
        server.close(() => resolve());
        server = null;
      }),
  };
  await web.start();
  return { port, web };
}
