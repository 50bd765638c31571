// Traces with OpenTelemetry, sent as OTLP/HTTP JSON. The only file that uses OpenTelemetry's libraries; tracing.ts
// loads it when an endpoint is set. The libraries also read their own settings: OTEL_TRACES_SAMPLER,
// OTEL_EXPORTER_OTLP_HEADERS, OTEL_BSP_SCHEDULE_DELAY, …

import {
  type Context,
  context,
  type Attributes as OtelAttributes,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { formatError } from '#base/error-text.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Attributes, Span, SpanOptions, Tracing } from './span.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
const CLOSE_MS = 3_000;

/** The contexts of our own spans, for links. */
const contexts = new WeakMap<Span, Context>();

/** To be called once per process: context and propagation (W3C) are global in these libraries. */
export function startOtlp(endpoint: string, service: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': service, 'service.version': manifest.version }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const tracer = provider.getTracer('zonestead', manifest.version);

  const begin = ({ name, kind, attributes = {}, links = [], from }: SpanOptions): Span => {
    const parent = from === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, from);
    const span = tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes: known(attributes), links: links.flatMap(linkTo) },
      parent,
    );
    const ownContext = trace.setSpan(parent, span);
    const createdSpan: Span = {
      around: (work) => context.with(ownContext, work),
      set: (more) => void span.setAttributes(known(more)),
      end: (failure) => {
        if (failure !== undefined) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            message: formatError(failure),
          });
        }
        span.end();
      },
      headers: () => {
        const carrier: Record<string, string> = {};
        propagation.inject(ownContext, carrier);
        return carrier;
      },
    };
    contexts.set(createdSpan, ownContext);
    return createdSpan;
  };

  return {
    isOn: true,
    begin,
    close: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

function linkTo(span: Span) {
  const ownContext = contexts.get(span);
  const linkedContext = ownContext && trace.getSpanContext(ownContext);
  return linkedContext ? [{ context: linkedContext }] : [];
}

function known(attributes: Attributes): OtelAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as OtelAttributes;
}
