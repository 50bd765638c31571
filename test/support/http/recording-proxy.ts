// A proxy between a client and the REST service that records the time of each request and its answer. It changes
// nothing.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** When the whole request was here, in ms of performance.now(). */
  readonly at: number;
  /** When the answer went out; undefined while there is none. */
  answeredAt?: number;
  status?: number;
  /** In ms; undefined when the answer did not say. */
  retryAfterMs?: number;
}

export interface RecordingProxy {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

/** Listens on a free loopback port; `target` is the base address of the service. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method = '', url = '' } = incoming;
    const exchange: Exchange = { method, path: url, body, at: performance.now() };
    exchanges.push(exchange);
    const { host: _proxy, connection: _hop, ...headers } = incoming.headers;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      exchange.status = answer.statusCode ?? 0;
      exchange.answeredAt = performance.now();
      const seconds = answer.headers['retry-after'];
      if (seconds !== undefined) exchange.retryAfterMs = Number(seconds) * 1_000;
      outgoing.writeHead(exchange.status, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
