// An API server in this process that lists many DNSRecords in pages and keeps watches open, for measurements of the
// memory of the process that reads them. It keeps none of the records itself.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Lists {
  readonly count: number;
  /** The DNSRecord of this number, with the resourceVersion `number + 1`. */
  readonly record: (number: number) => object;
  /** The objects of other kinds, by the last word of the path. */
  readonly others?: Readonly<Record<string, () => readonly object[]>>;
}

export interface RecordLists {
  /** A kubeconfig for it. */
  readonly kubeconfig: string;
  /** The open watches of DNSRecords, in the order of their opening. */
  readonly watches: readonly ServerResponse[];
  /** The number of DNSRecords that were sent in lists, and of first pages. */
  readonly sent: { records: number; lists: number };
  /** The requests that would have changed an object. */
  readonly writes: string[];
  close(): Promise<void>;
}

export async function startRecordLists({ count, record, others = {} }: Lists): Promise<RecordLists> {
  const watches: ServerResponse[] = [];
  const sent = { records: 0, lists: 0 };
  const writes: string[] = [];
  const page = (query: URLSearchParams) => {
    const from = Number(query.get('continue') ?? '0');
    const to = Math.min(from + Number(query.get('limit') ?? count), count);
    if (from === 0) sent.lists += 1;
    sent.records += to - from;
    const items = Array.from({ length: to - from }, (_, n) => record(from + n));
    return { metadata: { resourceVersion: String(count), continue: to < count ? String(to) : '' }, items };
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://cluster');
    const plural = pathname.split('/').at(-1) ?? '';
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'GET') {
      writes.push(`${request.method} ${pathname}`);
      response.writeHead(503).end('{}');
    } else if (searchParams.get('watch') !== null) {
      response.flushHeaders();
      if (plural === 'dnsrecords') watches.push(response);
    } else if (plural === 'dnsrecords') response.end(JSON.stringify(page(searchParams)));
    else response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: others[plural]?.() ?? [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return {
    kubeconfig: JSON.stringify(kubeconfig),
    watches,
    sent,
    writes,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
