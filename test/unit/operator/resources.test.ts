// The zod schemas of both kinds, their files in crds/, and the conversion of one into the other.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import { CONTENT_RULES, VALUES_CONTENT_RULES } from '#resources/content-rules.ts';
import { renderCrds } from '#resources/crd.ts';
import { recordSpec, recordStatus } from '#resources/dnsrecord.ts';
import { zoneSpec } from '#resources/dnszone.ts';
import { zoneStatus } from '#resources/dnszone-status.ts';
import { toStructural } from '#resources/structural.ts';
import { listRecordValues, summarizeTtl, summarizeValues } from '#resources/summary.ts';
import { RESOURCE_CASES } from '../../support/resources/resource-cases.ts';

const SCHEMAS = { DNSZone: zoneSpec, DNSRecord: recordSpec };

/** The problems as the API server writes them: `spec.path: message`. */
const issuesOf = (error: z.ZodError) => error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each(RESOURCE_CASES.filter((each) => each.refused === undefined))(
  'a spec with $title is accepted ($kind)',
  (each) => {
    const result = SCHEMAS[each.kind].safeParse(each.spec);
    expect(result.success ? [] : issuesOf(result.error)).toEqual([]);
  },
);

test.each(RESOURCE_CASES.filter((each) => each.refused !== undefined))(
  'a spec with $title is refused ($kind)',
  (each) => {
    const result = SCHEMAS[each.kind].safeParse(each.spec);
    expect(result.success).toBe(false);
    const refused = each.refused as RegExp;
    // Messages of the product's own rules must be equal here and there; zod's messages for types and bounds differ from
    // Go's.
    if (!result.success && /[a-z] [a-z]/.test(refused.source)) {
      expect(issuesOf(result.error).join('\n')).toMatch(refused);
    }
  },
);

test('a spec with an unknown type is told the form of a type, and nothing about its content', () => {
  const spec = { zoneRef: { name: 'example' }, name: 'www', type: 'SPF', content: 'v=spf1 -all' };
  const result = recordSpec.safeParse(spec);
  expect(result.success ? [] : issuesOf(result.error)).toEqual([
    expect.stringMatching(/^type: must be a record type in capitals/),
  ]);
});

test('a spec has one form of the content for each type', () => {
  const typesIn = ({ checks }: { checks: readonly { message: string }[] }) =>
    checks.flatMap(({ message }) => /content of type (\w+) must/.exec(message)?.[1] ?? []).sort();
  expect(typesIn(CONTENT_RULES)).toEqual([...RECORD_TYPES, 'TYPEn'].sort());
  expect(typesIn(VALUES_CONTENT_RULES)).toEqual([...RECORD_TYPES, 'TYPEn'].sort());
});

test('a spec gets its defaults', () => {
  expect(zoneSpec.parse({ zoneName: 'example.org' })).toEqual({
    zoneName: 'example.org',
    adopt: 'Never',
    parked: false,
    deletionPolicy: 'Delete',
    managementPolicy: 'Full',
    readyWhen: 'AllNameservers',
    driftPolicy: 'Enforce',
    whenClusterLost: 'Keep',
  });
  const spec = { zoneRef: { name: 'z' }, name: 'www', type: 'A', content: '192.0.2.1' };
  expect(recordSpec.parse(spec)).toEqual({ ...spec, deletionPolicy: 'Delete', adopt: 'Never', sharing: 'Exclusive' });
});

test('a status initially has every condition Unknown', () => {
  const types = (status: { conditions: { type: string; status: string }[] }) =>
    status.conditions.map((condition) => `${condition.type}=${condition.status}`);
  expect(types(zoneStatus.parse({}))).toEqual([
    'Accepted=Unknown',
    'Programmed=Unknown',
    'Delegated=Unknown',
    'Ready=Unknown',
  ]);
  expect(types(recordStatus.parse({}))).toEqual([
    'Accepted=Unknown',
    'Programmed=Unknown',
    'Propagated=Unknown',
    'Ready=Unknown',
  ]);
});

const folder = new URL('../../../crds/', import.meta.url);

test('crds/ equals the output of `npm run generate`', () => {
  const rendered = renderCrds();
  expect(readdirSync(folder).sort()).toEqual(['kustomization.yaml', ...rendered.map(({ file }) => file)].sort());
  for (const { file, text } of rendered) expect(readFileSync(new URL(file, folder), 'utf8')).toBe(text);
});

test('crds/ makes the API server run few expressions for a DNSRecord, because starting one costs more than a comparison', () => {
  const text = renderCrds().find(({ file }) => file.endsWith('dnsrecords.yaml'))?.text ?? '';
  const expressions = [...text.matchAll(/- rule: (.*)/g)].map(([, rule]) => rule);
  const changes = expressions.filter((rule) => rule === 'self == oldSelf');
  // A new rule about a field that has an expression belongs into that expression. Two of these are those of healthCheck
  // and healthFrom, which run only for a record that has them.
  expect(expressions.length - changes.length).toBeLessThanOrEqual(10);
  expect(changes.length).toBeLessThanOrEqual(3);
});

test('crds/ explains every field that a user may set', () => {
  const silent: string[] = [];
  const visit = (node: z.infer<typeof anySchema>, path: string): void => {
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      if (child.description === undefined) silent.push(`${path}.${name}`);
      visit(child, `${path}.${name}`);
    }
    if (node.items) visit(node.items, `${path}[]`);
  };
  for (const { text } of renderCrds()) {
    const crd = parse(text) as Crd;
    const { spec, status } = crd.spec.versions[0].schema.openAPIV3Schema.properties;
    visit(spec, `${crd.metadata.name} spec`);
    visit(status, `${crd.metadata.name} status`);
  }
  expect(silent).toEqual([]);
});

test('crds/ explains each field in complete sentences', () => {
  const fragments: string[] = [];
  const visit = (node: z.infer<typeof anySchema>, path: string): void => {
    const { description = '' } = node;
    // A sentence begins with a capital letter and ends with a full stop, also inside the parentheses of a default.
    if (description !== '' && !/^[A-Z].* .*(\.|\.\))$/s.test(description)) fragments.push(`${path}: ${description}`);
    for (const [name, child] of Object.entries(node.properties ?? {})) visit(child, `${path}.${name}`);
    if (node.items) visit(node.items, `${path}[]`);
  };
  for (const { text } of renderCrds()) {
    const crd = parse(text) as Crd;
    for (const [name, node] of Object.entries(crd.spec.versions[0].schema.openAPIV3Schema.properties))
      visit(node, `${crd.metadata.name} ${name}`);
  }
  expect(fragments).toEqual([]);
});

test('crds/ shows why an object is not Ready in kubectl get, the message with -o wide, and the age last', () => {
  for (const { text } of renderCrds()) {
    const columns = (parse(text) as Crd).spec.versions[0].additionalPrinterColumns;
    const shown = columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
    expect(shown.slice(-3)).toContain('Reason');
    expect(columns.find(({ name }) => name === 'Message')).toMatchObject({ priority: 1 });
    expect(columns.at(-1)?.name).toBe('Age');
  }
});

test('crds/ limits every text and list, because the API server estimates the cost of CEL from the limits', () => {
  const unbounded: string[] = [];
  const visit = (node: z.infer<typeof anySchema>, path: string): void => {
    const bounded = node.type !== 'string' || node.enum !== undefined || node.maxLength !== undefined;
    if (!bounded || (node.type === 'array' && node.maxItems === undefined)) unbounded.push(path);
    for (const [name, child] of Object.entries(node.properties ?? {})) visit(child, `${path}.${name}`);
    if (node.items) visit(node.items, `${path}[]`);
  };
  for (const { text } of renderCrds()) {
    const { spec, status } = (parse(text) as Crd).spec.versions[0].schema.openAPIV3Schema.properties;
    visit(spec, 'spec');
    visit(status, 'status');
  }
  expect(unbounded).toEqual([]);
});

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly versions: readonly [
      {
        readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
        readonly schema: { readonly openAPIV3Schema: { readonly properties: { spec: Node; status: Node } } };
      },
    ];
  };
}

const anySchema = z.object({
  type: z.string(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  get properties() {
    return z.record(z.string(), anySchema).optional();
  },
  get items() {
    return anySchema.optional();
  },
});
type Node = z.infer<typeof anySchema>;

const structural = (schema: z.ZodType) => toStructural(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }));

test('the structural walk keeps bounds, defaults, enums, nullable and x-kubernetes keywords, and drops the keywords that only zod needs', () => {
  const schema = z.object({
    a: z.int().min(1).nullable(),
    b: z.enum(['x', 'y']).default('x').meta({ description: 'B.' }),
    c: z.array(z.string().max(3)).max(2).meta({ 'x-kubernetes-list-type': 'set' }).optional(),
    d: z.record(z.string(), z.string().max(4)).optional(),
  });
  expect(structural(schema)).toEqual({
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'integer', minimum: 1, nullable: true },
      b: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'B.' },
      c: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 3 }, 'x-kubernetes-list-type': 'set' },
      d: { type: 'object', additionalProperties: { type: 'string', maxLength: 4 } },
    },
  });
});

test('the structural walk refuses schemas that a CRD cannot contain', () => {
  expect(() => structural(z.object({ a: z.union([z.string(), z.int()]) }))).toThrow(
    /root\.properties\.a has no single/,
  );
  expect(() => structural(z.union([z.int(), z.boolean()]).meta({ 'x-kubernetes-int-or-string': true }))).toThrow(
    /not a union of an integer and a string/,
  );
  expect(() => structural(z.object({ a: z.unknown() }))).toThrow(/has no single type/);
  expect(() => structural(z.string().regex(/^(?!x)/))).toThrow(/not valid in RE2/);
  expect(() => structural(z.string().regex(/(a)\1/))).toThrow(/not valid in RE2/);
  expect(() => structural(z.object({ a: z.string().meta({ id: 'Shared' }), b: z.string() }))).toThrow(
    /a has no single/,
  );
  expect(() => structural(z.string().meta({ contentEncoding: 'base64' }))).toThrow(/contentEncoding cannot/);
});

describe('a summary', () => {
  const summary = (spec: Parameters<typeof listRecordValues>[0]) => summarizeValues(listRecordValues(spec));

  test('a summary shows one value, several, and the priority of MX', () => {
    expect(summary({ type: 'A', content: '192.0.2.1' })).toBe('192.0.2.1');
    expect(summary({ type: 'A', values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] })).toBe(
      '192.0.2.1,192.0.2.2',
    );
    expect(summary({ type: 'MX', content: 'mail.example.org' })).toBe('10 mail.example.org');
    expect(summary({ type: 'MX', content: '.', priority: 0 })).toBe('0 .');
  });

  test('a summary stays short and shows how many values it omits', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({ content: `192.0.2.10${i}` }));
    expect(summary({ type: 'A', values: many })).toBe('192.0.2.100,192.0.2.101,192.0.2.102,192.0.2.103,192.0.2.104 +5');
    expect(summary({ type: 'TXT', content: 'x'.repeat(100) })).toBe(`${'x'.repeat(63)}…`);
    expect(summary({ type: 'TXT', values: [{ content: 'x'.repeat(100) }, { content: 'y' }] })).toBe(
      `${'x'.repeat(63)}… +1`,
    );
  });
});

test('the TTL of a record in words tells the cap of health checks and weights', () => {
  const spec = (more: object) =>
    recordSpec.parse({
      zoneRef: { name: 'zone' },
      name: 'www',
      type: 'A',
      values: [{ content: '192.0.2.1' }],
      ...more,
    });
  expect(summarizeTtl(spec({}))).toBe('that of the zone');
  expect(summarizeTtl(spec({ ttl: 300 }))).toBe('300');
  const checked = spec({ ttl: 300, healthCheck: { type: 'tcp', port: 80 } });
  expect(summarizeTtl(checked)).toBe('300, at most 60 with a health check or weights');
  const weighted = spec({ values: [{ content: '192.0.2.1', weight: 1 }] });
  expect(summarizeTtl(weighted)).toBe('that of the zone, at most 60 with a health check or weights');
});
