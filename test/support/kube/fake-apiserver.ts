// An API server that only produces faults: each request gets the next scripted answer. The behavior of a real server is
// tested against the real one (test/integration/kube); this one cuts lines, resets sockets, stays silent and refuses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeCredentials } from '#kube/api/credentials.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';

export const WIDGETS: ResourceType = {
  group: 'test.zonestead.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export interface Widget extends KubeObject {
  readonly spec?: { readonly color?: string };
  readonly status?: { readonly seen?: string };
}

/** A widget in namespace `default`. */
export function widget(name: string, resourceVersion: string, change: { uid?: string; color?: string } = {}): Widget {
  return {
    apiVersion: 'test.zonestead.dev/v1',
    kind: 'Widget',
    metadata: { namespace: 'default', name, uid: change.uid ?? `uid-of-${name}`, resourceVersion },
    ...(change.color === undefined ? {} : { spec: { color: change.color } }),
  };
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The client's port: equal for requests on one connection. */
  readonly port: number | undefined;
}

/** Writes the answer, now or later. */
export type Answer = (response: ServerResponse, request: Received) => void;

export interface FakeApiServer {
  readonly url: string;
  readonly received: Received[];
  /** The answers to the next requests, in their order. */
  script(...answers: Answer[]): void;
  /** Resolves when that many requests have come in all. */
  requests(count: number): Promise<Received>;
  credentials(): KubeCredentials;
  close(): Promise<void>;
}

/** Starts on a free loopback port. An unscripted request answers 500 with reason `Unscripted`. */
export async function startFakeApiServer(): Promise<FakeApiServer> {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const waiting = new Set<() => void>();
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? '/', 'http://fake');
    const entry: Received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      port: request.socket.remotePort,
    };
    received.push(entry);
    const answer = answers.shift() ?? status(500, 'Unscripted', `${entry.method} ${request.url} was not scripted`);
    for (const wake of waiting) wake();
    answer(response, entry);
  };
  const server = createServer(onRequest);
  // On a machine that pauses for 5 s, a connection would be closed under the next request, which is then sent twice and
  // takes the answer that was scripted for another request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    script: (...more) => void answers.push(...more),
    requests: async (count) => {
      const limit = Date.now() + 5_000;
      while (received.length < count) {
        if (Date.now() > limit) throw new Error(`${received.length} of ${count} requests within 5 s`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 100);
          waiting.add(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
      return received[count - 1] as Received;
    },
    credentials: () => ({ server: url, namespace: 'default', read: async () => ({ headers: {}, tls: {} }) }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** 200 with this JSON. */
export function json(value: unknown): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

/** One page of a list. */
export function page(items: readonly KubeObject[], resourceVersion: string, next?: string): Answer {
  return json({ kind: 'WidgetList', metadata: { resourceVersion, continue: next ?? '' }, items });
}

/** A metav1.Status. */
export function status(code: number, reason: string, message = reason, retryAfter?: number): Answer {
  return (response) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }));
  };
}

/** Drops the connection without an answer. */
export const reset: Answer = (response) => response.socket?.destroy();

/** Never answers. */
export const silence: Answer = () => undefined;

export interface OpenWatch {
  readonly answer: Answer;
  event(type: string, object: object): void;
  raw(text: string): void;
  end(): void;
  reset(): void;
}

/** A watch that the test writes to. Calls before the request came are kept. */
export function watch(): OpenWatch {
  let response: ServerResponse | undefined;
  const early: ((response: ServerResponse) => void)[] = [];
  const act = (fn: (response: ServerResponse) => void): void => {
    if (response === undefined) early.push(fn);
    else fn(response);
  };
  return {
    answer: (opened) => {
      response = opened;
      opened.writeHead(200, { 'content-type': 'application/json' });
      opened.flushHeaders();
      for (const fn of early) fn(opened);
    },
    event: (type, object) => act((open) => open.write(`${JSON.stringify({ type, object })}\n`)),
    raw: (text) => act((open) => open.write(text)),
    end: () => act((open) => open.end()),
    // Only after the written bytes were sent, or the peer may never see them.
    reset: () => act((open) => void setTimeout(() => open.socket?.destroy(), 50)),
  };
}
