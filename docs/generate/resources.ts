// docs/reference/dnszone.md and dnsrecord.md: the fields of a resource, as its CustomResourceDefinition describes them.
import { parse } from 'yaml';
import { renderCrds } from '#resources/crd.ts';
import { messagesIn } from '#resources/rules.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

interface Schema {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema;
  items?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-validations'?: readonly {
    rule: string;
    message?: string;
    messageExpression?: string;
    fieldPath?: string;
  }[];
}

interface Crd {
  spec: {
    names: { kind: string; plural: string; shortNames: readonly string[] };
    versions: readonly {
      name: string;
      schema: { openAPIV3Schema: Schema };
      additionalPrinterColumns: readonly { name: string; jsonPath: string; priority?: number }[];
    }[];
  };
}

interface Field {
  path: string;
  schema: Schema;
  isRequired: boolean;
}

function listFields(schema: Schema, above: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const inner = each.type === 'array' ? listFields(each.items ?? {}, `${path}[]`) : listFields(each, path);
    return [{ path, schema: each, isRequired: schema.required?.includes(name) ?? false }, ...inner];
  });
}

function describeType({ type = '', items, additionalProperties, ...schema }: Schema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.enum) return schema.enum.map((each) => code(String(each))).join(', ');
  if (type === 'array') return `list of ${items?.enum ? describeType(items) : (items?.type ?? 'values')}`;
  if (additionalProperties) return `map of ${additionalProperties.type ?? 'values'}`;
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `${type}, ${schema.minimum} to ${schema.maximum}`;
  if (schema.maxLength !== undefined) return `${type}, up to ${schema.maxLength} characters`;
  return type;
}

const describeDefault = ({ schema, isRequired }: Field) => {
  if (isRequired) return 'required';
  return schema.default === undefined || typeof schema.default === 'object' ? '' : code(String(schema.default));
};

function fieldTable(schema: Schema, withDefaults: boolean): string {
  const rows = listFields(schema, '').map((field) => [
    code(field.path),
    describeType(field.schema),
    ...(withDefaults ? [describeDefault(field)] : []),
    plain(field.schema.description ?? ''),
  ]);
  return table(['field', 'type', ...(withDefaults ? ['default'] : []), 'description'], rows);
}

/** The rules that the API server checks, each once, by the field that they are about. */
function ruleTable(spec: Schema): string {
  const all = [{ path: 'spec', schema: spec, isRequired: true }, ...listFields(spec, '')];
  const rules = all.flatMap(({ path, schema }) =>
    [schema, ...(schema.items && schema.items.type !== 'object' ? [schema.items] : [])].flatMap((each) =>
      (each['x-kubernetes-validations'] ?? []).flatMap(({ message, messageExpression = '', fieldPath = '' }) =>
        (message ? [message] : messagesIn(messageExpression)).map((text) => [
          code(`${path}${fieldPath}`.replace(/^spec\./, '')),
          plain(text),
        ]),
      ),
    ),
  );
  return table(['field', 'rule'], rules);
}

function resourcePage(kind: string): string {
  const crd = renderCrds()
    .map(({ text }) => parse(text) as Crd)
    .find(({ spec }) => spec.names.kind === kind);
  const [version] = crd?.spec.versions ?? [];
  if (crd === undefined || version === undefined) throw new Error(`no CustomResourceDefinition for ${kind}`);
  const { plural, shortNames } = crd.spec.names;
  const { spec = {}, status = {} } = version.schema.openAPIV3Schema.properties ?? {};
  const columns = version.additionalPrinterColumns.map(({ name, jsonPath, priority = 0 }) => [
    name,
    code(jsonPath),
    priority === 0 ? '' : 'only with `-o wide`',
  ]);
  return page(
    kind,
    paragraph(
      `This page lists the fields of a ${kind}, \`zonestead.dev/${version.name}\`, short name \`${shortNames[0]}\`. The API server prints them too:`,
    ),
    `\`\`\`sh\nkubectl explain ${kind.toLowerCase()}.spec\n\`\`\``,
    '## spec',
    fieldTable(spec, true),
    '## status',
    paragraph(
      `The operator writes the status. Do not give tenants the right to change \`${plural}/status\`. [Conditions](conditions.md) lists the conditions and their reasons.`,
    ),
    fieldTable(status, false),
    '## Rules',
    'The API server checks these rules when you apply an object, also with `--dry-run=server`.',
    ruleTable(spec),
    '## Columns',
    table(['column', 'field', ''], columns),
  );
}

export const zonePage = (): string => resourcePage('DNSZone');
export const recordPage = (): string => resourcePage('DNSRecord');
