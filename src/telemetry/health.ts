// A small HTTP server with /healthz, /readyz and /metrics for processes that have no other one. The callbacks decide
// whether the process is healthy.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { chooseListenAddress, EVERY_ADDRESS } from '#base/listen-address.ts';
import { limitConnections } from '#http/connections/sockets.ts';

export interface HealthReport {
  readonly ok: boolean;
  /** One short text per check, shown to people: `{ dnszones: 'synced' }`. */
  readonly checks?: Readonly<Record<string, string>>;
}

interface HealthServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** (Default: all addresses.) */
  readonly host?: string;
  /** /healthz: false makes Kubernetes restart the container. (Default: always ok.) */
  readonly live?: () => HealthReport | Promise<HealthReport>;
  /** /readyz. (Default: always ok.) */
  readonly ready?: () => HealthReport | Promise<HealthReport>;
  /** /readyz?deep, for people: also asks other servers. (Default: the same as /readyz.) */
  readonly deep?: () => HealthReport | Promise<HealthReport>;
  /** /metrics. (Default: 404.) */
  readonly registry?: Registry;
  /** How long a callback may take before it counts as a failure, in ms. (Default: 5000.) */
  readonly timeoutMs?: number;
}

export interface HealthServer {
  readonly port: number;
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
}

/** A probe and a scrape are one short request each. */
const CONNECTIONS = { total: 500, perAddress: 50 };
const REQUEST_MS = 10_000;
const ALWAYS_OK: HealthReport = { ok: true };

/** Starts listening; rejects when the port is taken. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const limit = options.timeoutMs ?? 5_000;
  const times = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 };
  const server = createServer(times, (request, response) => {
    const [path, query] = request.url?.split('?') ?? [];
    if (path === '/healthz') return void report(response, options.live, limit);
    if (path === '/readyz') {
      const isDeep = options.deep !== undefined && new URLSearchParams(query).has('deep');
      return void report(response, isDeep ? options.deep : options.ready, limit);
    }
    if (path === '/metrics' && options.registry) return void scrape(response, options.registry, limit);
    send(response, 404, 'text/plain', 'not found\n');
  });
  limitConnections(server, CONNECTIONS);
  const host = await chooseListenAddress(options.host ?? EVERY_ADDRESS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function report(response: ServerResponse, check: HealthServerOptions['ready'], limit: number): Promise<void> {
  try {
    const result = check === undefined ? ALWAYS_OK : await within(limit, async () => check());
    send(response, result.ok ? 200 : 503, 'application/json', `${JSON.stringify(result)}\n`);
  } catch {
    // The reason is only logged: probes are open to every client that can reach the port.
    send(response, 503, 'application/json', `${JSON.stringify({ ok: false, checks: { probe: 'failed' } })}\n`);
  }
}

async function scrape(response: ServerResponse, registry: Registry, limit: number): Promise<void> {
  try {
    send(response, 200, registry.contentType, await within(limit, () => registry.metrics()));
  } catch {
    send(response, 500, 'text/plain', 'metrics could not be collected\n');
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
