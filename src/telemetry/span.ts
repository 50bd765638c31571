// The types of tracing: a span is one step of the work, with its time, its attributes and its parent.

/** Headers of an HTTP request, as node has them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly attributes?: Attributes;
  /** Further spans, next to the parent, that this one works for. */
  readonly links?: readonly Span[];
  /** A request whose `traceparent` (W3C Trace Context) names the parent. (Default: the active span, if any.) */
  readonly from?: Headers;
}

export type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Span {
  /** Runs the work with this span as parent of the spans that it begins, also later, after an await. */
  around<T>(work: () => T): T;
  set(attributes: Attributes): void;
  /** To be called once. A failure marks the span as such. */
  end(failure?: unknown): void;
  /** `traceparent`, and `tracestate` when there is one, of this span. */
  headers(): Record<string, string>;
}

export interface Tracing {
  readonly isOn: boolean;
  begin(options: SpanOptions): Span;
  /** Sends the remaining spans, for at most 3 s. Never rejects. */
  close(): Promise<void>;
}
