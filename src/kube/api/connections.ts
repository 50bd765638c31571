// The sockets to the API server: one pool for calls and one for watches, rebuilt when the certificates change.
//
// client-node opens a TLS connection for every call; one pool costs less than a third of the CPU. HTTP/2 is off:
// half-open sessions are noticed late there, and a handful of sockets is enough.
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { KubeCredentials, TlsSettings } from './credentials.ts';

export interface Connections {
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

interface ConnectionPool {
  /** The connections for these certificates; the same ones as before while the certificates do not change. */
  for(tls: TlsSettings): Connections;
  /** Closes every connection, also those that were opened before a change of certificates. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
// Below the 60 s idle limit of common load balancers; client-go uses the same.
const TCP_KEEP_ALIVE_MS = 30_000;
// The API server closes idle connections after 90 s; ours must close first, or a request meets a closing socket.
const IDLE_MS = 60_000;

/** Makes an empty pool; `maxConnections` limits the calls in flight, the rest wait in line. */
export function createConnectionPool(credentials: KubeCredentials, maxConnections: number): ConnectionPool {
  let current: { tls: TlsSettings; connections: Connections } | undefined;
  const open = new Set<Dispatcher>();

  const make = (tls: TlsSettings, connections: number | null, bodyTimeout: number): Dispatcher => {
    const common = { allowH2: false, connections, bodyTimeout, keepAliveTimeout: IDLE_MS, pipelining: 1 };
    const connect = {
      ...definedOnly(tls),
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    };
    const dispatcher =
      credentials.proxy === undefined
        ? new Agent({ ...common, connect })
        : new ProxyAgent({ ...common, uri: credentials.proxy, requestTls: connect });
    open.add(dispatcher);
    return dispatcher;
  };

  return {
    for: (tls) => {
      if (current !== undefined && sameTls(current.tls, tls)) return current.connections;
      // Graceful: calls in flight on the old connections may end; a watch ends by its own limit.
      for (const old of [...open]) void old.close().then(() => open.delete(old));
      current = { tls, connections: { calls: make(tls, maxConnections, 30_000), watches: make(tls, null, 0) } };
      return current.connections;
    },
    close: async () => {
      current = undefined;
      await Promise.all([...open].map((dispatcher) => dispatcher.destroy()));
      open.clear();
    },
  };
}

function sameTls(a: TlsSettings, b: TlsSettings): boolean {
  return (
    sameBytes(a.ca, b.ca) &&
    sameBytes(a.cert, b.cert) &&
    sameBytes(a.key, b.key) &&
    a.servername === b.servername &&
    a.rejectUnauthorized === b.rejectUnauthorized
  );
}

function sameBytes(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  // Almost always the same text, and this runs before every call.
  if (a === b || a === undefined || b === undefined) return a === b;
  return Buffer.from(a).equals(Buffer.from(b));
}

function definedOnly(tls: TlsSettings): { [K in keyof TlsSettings]?: NonNullable<TlsSettings[K]> } {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}
