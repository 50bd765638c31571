// A small receiver of OTLP/HTTP traces in JSON, like a collector (OpenTelemetry protocol, "OTLP/HTTP"). It keeps the
// spans.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
}

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  arrayValue?: { values: Value[] };
}
type Pairs = { key: string; value: Value }[];
interface Wire {
  resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: WireSpan[] }[] }[];
}
interface WireSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> {
  parentSpanId?: string;
  attributes?: Pairs;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}

const FAILED = 2;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const isOurs = request.method === 'POST' && request.url === '/v1/traces';
    if (isOurs) spans.push(...read(JSON.parse(body) as Wire));
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read({ resourceSpans }: Wire): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes = [], links = [], status }) => ({
        service: String(plain(resource.attributes)['service.name']),
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: plain(attributes),
        links,
        failed: status?.code === FAILED,
      })),
    ),
  );
}

function plain(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));
}

function readValue({ stringValue, intValue, arrayValue }: Value): unknown {
  return stringValue ?? (intValue === undefined ? arrayValue?.values.map(readValue) : Number(intValue));
}
