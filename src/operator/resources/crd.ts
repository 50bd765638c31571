// The CustomResourceDefinitions, made from the zod schemas. It must not know who installs them; `npm run crds` writes
// them and a test compares.
import { stringify } from 'yaml';
import { z } from 'zod';
import { DNS_RECORD, recordSpec, recordStatus } from './dnsrecord.ts';
import { DNS_ZONE, zoneSpec, zoneStatus } from './dnszone.ts';
import { toStructural } from './structural.ts';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** Above 0 only with `-o wide`. */
  readonly priority?: number;
}

interface Definition {
  readonly type: typeof DNS_ZONE | typeof DNS_RECORD;
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly Column[];
  readonly selectable: readonly string[];
}

const READY: Column = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
};
const REASON: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
  priority: 1,
};
const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const DEFINITIONS: readonly Definition[] = [
  {
    type: DNS_ZONE,
    description: 'A DNS zone, hosted and signed by the DNS service.',
    spec: zoneSpec,
    status: zoneStatus,
    columns: [
      { name: 'Zone', type: 'string', jsonPath: '.spec.zoneName' },
      { name: 'State', type: 'string', jsonPath: '.status.state' },
      READY,
      { name: 'DS', type: 'integer', jsonPath: '.status.ds[0].keyTag', description: 'Key tag of the DS record' },
      AGE,
      REASON,
      {
        name: 'Delegated',
        type: 'string',
        jsonPath: '.status.conditions[?(@.type=="Delegated")].status',
        priority: 1,
      },
      { name: 'DS-Record', type: 'string', jsonPath: '.status.ds[0].record', priority: 1 },
    ],
    selectable: ['.spec.zoneName'],
  },
  {
    type: DNS_RECORD,
    description: 'The values of one type at one name of a DNSZone.',
    spec: recordSpec,
    status: recordStatus,
    columns: [
      { name: 'FQDN', type: 'string', jsonPath: '.status.fqdn' },
      { name: 'Type', type: 'string', jsonPath: '.spec.type' },
      { name: 'Content', type: 'string', jsonPath: '.status.summary' },
      READY,
      AGE,
      REASON,
      { name: 'TTL', type: 'integer', jsonPath: '.spec.ttl', priority: 1 },
      { name: 'Zone', type: 'string', jsonPath: '.spec.zoneRef.name', priority: 1 },
    ],
    selectable: ['.spec.type', '.spec.zoneRef.name'],
  },
];

const HEADER = '# Made by `npm run crds` from src/operator/resources; do not edit. Needs Kubernetes 1.31 or later.\n';

// YAML 1.1 as kubectl reads it: what would turn into a time or a truth value is quoted. Unfolded: patterns hold blanks.
const YAML = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** One file of crds/ per kind. Pure: the same schemas give the same text. */
export function renderCrds(): { file: string; text: string }[] {
  return DEFINITIONS.map((definition) => ({
    file: `${definition.type.group}_${definition.type.plural}.yaml`,
    text: HEADER + stringify(crdOf(definition), YAML),
  }));
}

function crdOf({ type, description, spec, status, columns, selectable }: Definition): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${type.plural}.${type.group}` },
    spec: {
      group: type.group,
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind: type.kind,
        listKind: `${type.kind}List`,
        plural: type.plural,
        singular: type.kind.toLowerCase(),
        shortNames: type.shortNames,
        categories: type.categories,
      },
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: rootOf(description, spec, status) },
        },
      ],
    },
  };
}

/**
 * `status` has a default of its own: defaults below an absent object are never filled in, and the conditions must be
 * there, as Unknown, before the operator has seen the object.
 */
function rootOf(description: string, spec: z.ZodType, status: z.ZodType): Record<string, unknown> {
  return {
    description,
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { ...structural(spec), description: 'What is wanted.' },
      status: { ...structural(status), description: 'What is. Written by the operator.', default: {} },
    },
  };
}

function structural(schema: z.ZodType): Record<string, unknown> {
  return toStructural(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }));
}
