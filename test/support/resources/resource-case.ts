// How a case of a DNSZone or a DNSRecord is written: an object that `kubectl apply` must take or refuse.
export interface ResourceCase {
  readonly title: string;
  readonly kind: 'DNSZone' | 'DNSRecord';
  readonly spec: Record<string, unknown>;
  /** A part of the refusal's message; undefined when the case is accepted. */
  readonly refused?: RegExp;
  /** CEL cannot tell; zod refuses, as the operator then does with Accepted=False. */
  readonly passesServer?: true;
}

export const zone = (title: string, spec: Record<string, unknown>, refused?: RegExp): ResourceCase => ({
  title,
  kind: 'DNSZone',
  spec: { zoneName: 'example.org', ...spec },
  ...(refused === undefined ? {} : { refused }),
});

/** Undefined takes a field of the base away, as it does in JSON. */
export const aRecord = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };

export const record = (title: string, spec: Record<string, unknown>, refused?: RegExp): ResourceCase => ({
  title,
  kind: 'DNSRecord',
  spec: JSON.parse(JSON.stringify({ ...aRecord, ...spec })) as Record<string, unknown>,
  ...(refused === undefined ? {} : { refused }),
});

export const onlyZod = (each: ResourceCase): ResourceCase => ({ ...each, passesServer: true });

export const label = (length: number) => 'a'.repeat(length);
export const values = (...contents: string[]) => ({
  content: undefined,
  values: contents.map((content) => ({ content })),
});
