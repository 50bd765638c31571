// Traces: nothing at all without an endpoint; with one, spans as W3C Trace Context and OTLP have them.
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { inSpan, NO_TRACING, startTracing } from '#telemetry/tracing.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/http/otlp-receiver.ts';

const SOURCES = new URL('../../../src/', import.meta.url).pathname;
/** An example of the recommendation (W3C Trace Context, section 3.2.2.5). */
const PARENT = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

test('without an endpoint there are no spans, and no headers', async () => {
  const tracing = await startTracing({ endpoint: undefined, service: 'test' });
  expect(tracing).toBe(NO_TRACING);
  const span = tracing.begin({ name: 'nothing', kind: 'internal' });
  expect(span.headers()).toEqual({});
  expect(span.around(() => 7)).toBe(7);
  await tracing.close();
});

test('without an endpoint, no library of OpenTelemetry is asked for: one file names them, and it is only loaded when it is needed', async () => {
  const naming: string[] = [];
  const loading: string[] = [];
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const text = await readFile(SOURCES + file, 'utf8');
    if (text.includes("'@opentelemetry/")) naming.push(file);
    if (/from '[^']*otlp\.ts'/.test(text)) loading.push(file);
  }
  expect([naming, loading]).toEqual([['telemetry/otlp.ts'], []]);
});

describe('with an endpoint', () => {
  let receiver: OtlpReceiver;
  afterAll(() => receiver?.close());

  test('with an endpoint, spans are nested as the work is, carry the trace on, and are all sent at the end', async () => {
    receiver = await startOtlpReceiver();
    const tracing = await startTracing({ endpoint: `${receiver.endpoint}/`, service: 'zonestead-test' });
    let carried = '';
    const failure = inSpan(tracing, { name: 'answer', kind: 'server', from: PARENT }, async (server) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await inSpan(tracing, { name: 'inside', kind: 'client', links: [server] }, async (span) => {
        span.set({ number: 7, none: undefined, list: ['a', 'b'] });
        carried = span.headers().traceparent ?? '';
      });
      throw new Error('it broke');
    });
    await expect(failure).rejects.toThrow('it broke');
    await tracing.close();

    const { spans } = receiver;
    const answer = spans.find(({ name }) => name === 'answer');
    const inside = spans.find(({ name }) => name === 'inside');
    expect(spans).toHaveLength(2);
    expect(answer).toMatchObject({
      service: 'zonestead-test',
      kind: 2,
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      failed: true,
    });
    expect(inside).toMatchObject({
      kind: 3,
      traceId: answer?.traceId,
      parentSpanId: answer?.spanId,
      attributes: { number: 7, list: ['a', 'b'] },
      links: [{ spanId: answer?.spanId }],
      failed: false,
    });
    expect(carried).toBe(`00-${inside?.traceId}-${inside?.spanId}-01`);
  });
});
