// The interface of the rooms to tracing, which is off unless an endpoint is set. It loads no library of OpenTelemetry:
// otlp.ts does, and is loaded only when there is an endpoint, so that a process without tracing has none of the SDK in
// memory.

import type { Span, SpanOptions, Tracing } from './span.ts';

interface TracingOptions {
  /** Base address of an OTLP/HTTP receiver; spans go to `<endpoint>/v1/traces`. Undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  /** `service.name` of the resource, for instance `zonestead-api`. */
  readonly service: string;
}

const NO_SPAN: Span = { around: (work) => work(), set: () => undefined, end: () => undefined, headers: () => ({}) };

export const NO_TRACING: Tracing = { isOn: false, begin: () => NO_SPAN, close: async () => undefined };

export async function startTracing({ endpoint, service }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return NO_TRACING;
  const { startOtlp } = await import('./otlp.ts');
  return startOtlp(endpoint, service);
}

/** Runs the work in a span, which ends with it. @throws the error of the work */
export async function inSpan<T>(tracing: Tracing, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = tracing.begin(options);
  try {
    const result = await span.around(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
