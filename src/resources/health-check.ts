// spec.healthCheck of a DNSRecord: the probe that the DNS service sends to its addresses, or the name of a check that
// exists there. The fields, ranges and sentences are those of the REST API (contract/checks.ts).
import { z } from 'zod';
import {
  CHECK_HOST,
  CHECK_HOST_RULE,
  CHECK_PATH,
  CHECK_PATH_RULE,
  CHECK_RANGES,
  isSharedCheck,
  MAX_CHECK_HOST,
  MAX_CHECK_PATH,
  MAX_EXPECTED,
  OBJECT_CHECKS,
  PROBE_TYPES,
} from '#base/check-form.ts';
import { CHECK_NAME } from '#base/part-names.ts';
import { type Rule, together, withRules } from './rules.ts';
import { matchInCel } from './syntax.ts';

const MAX_CHECK_NAME = 63;
const EXPECTED = '^[1-5]([0-9][0-9]|xx)$';

/** A number in the range of a field. The CRD has no defaults, because they would also be next to `checkRef`. */
const inRange = (field: keyof typeof CHECK_RANGES, words: string) => {
  const { least, most, standard } = CHECK_RANGES[field];
  const base = field === 'failures' || field === 'successes' ? z.int() : z.number();
  return base
    .min(least)
    .max(most)
    .optional()
    .meta({ description: `${words} (Default: ${standard}.)` });
};

const fields = {
  checkRef: z
    .string()
    .min(1)
    .max(MAX_CHECK_NAME)
    .optional()
    .meta({
      description:
        'The name of a check of the team at the DNS service, in place of all other fields. The DNSZone must be in the ' +
        "record's own namespace.",
    }),
  type: z
    .enum(PROBE_TYPES)
    .optional()
    .meta({
      description:
        'The kind of probe: https and http send a GET request, without following redirects, and tcp opens a connection. Required ' +
        'without checkRef.',
    }),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .meta({ description: 'The port. Required for tcp. (Default: 443 for https, 80 for http.)' }),
  path: z
    .string()
    .min(1)
    .max(MAX_CHECK_PATH)
    .optional()
    .meta({ description: 'The path of the request. Not for tcp. (Default: "/".)' }),
  host: z
    .string()
    .min(1)
    .max(MAX_CHECK_HOST)
    .optional()
    .meta({
      description:
        'The host name that the request is for, and whose certificate an https server must have. Not for tcp. (Default: ' +
        'the address.)',
    }),
  expect: z
    .array(z.string().min(1).max(3))
    .min(1)
    .max(MAX_EXPECTED)
    .optional()
    .meta({
      description:
        'The statuses of a healthy answer, each as text: a status such as "200", or a class such as 2xx. Not for tcp. ' +
        '(Default: 2xx and 3xx.)',
      'x-kubernetes-list-type': 'atomic',
    }),
  interval: inRange('interval', 'Seconds between two probes of an address.'),
  timeout: inRange('timeout', 'Seconds until a probe without an answer has failed.'),
  failures: inRange('failures', 'So many failures in a row make an address unhealthy.'),
  retryInterval: inRange(
    'retryInterval',
    'Seconds until the next probe after a failure, until the address is unhealthy.',
  ),
  successes: inRange('successes', 'So many successes in a row make an unhealthy address healthy.'),
  tls: z.enum(['verify', 'none']).optional().meta({
    description:
      'Only for https. verify: the certificate must be valid for the host. none: any certificate will do. (Default: verify.)',
  }),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

const { checkRef: _name, type: _type, ...details } = fields;
const DETAILS = Object.keys(details) as (keyof typeof details)[];
const hasAny = (names: readonly string[]) => names.map((name) => `has(self.${name})`).join(' || ');

const HTTP_FIELDS = ['path', 'host', 'expect'] as const;

const NAME_RULES: readonly Rule<Fields>[] = [
  {
    rule: `!has(self.checkRef) || (${matchInCel('self.checkRef', CHECK_NAME.source)} && !self.checkRef.startsWith('${OBJECT_CHECKS}'))`,
    message:
      'checkRef must be the name of a check: lower-case letters, digits and "-", with a letter or digit at both ends; a name ' +
      `that begins with ${OBJECT_CHECKS} belongs to another DNSRecord`,
    holds: ({ checkRef }) => checkRef === undefined || isSharedCheck(checkRef),
  },
  {
    rule: `!has(self.checkRef) || !(${hasAny(DETAILS)})`,
    message: 'checkRef replaces all other fields: remove it, or remove the other fields',
    holds: (self) => self.checkRef === undefined || DETAILS.every((name) => self[name] === undefined),
  },
];

const TYPE_RULES: readonly Rule<Fields>[] = [
  {
    rule: "!has(self.type) || self.type != 'tcp' || has(self.port)",
    message: 'a check of the type tcp needs a port: set port',
    holds: ({ type, port }) => type !== 'tcp' || port !== undefined,
  },
  {
    rule: `!has(self.type) || self.type != 'tcp' || !(${hasAny(HTTP_FIELDS)})`,
    message: 'a check of the type tcp sends no request: remove path, host and expect',
    holds: (self) => self.type !== 'tcp' || HTTP_FIELDS.every((name) => self[name] === undefined),
  },
  {
    rule: "!has(self.tls) || has(self.checkRef) || (has(self.type) && self.type == 'https')",
    message: 'only a check of the type https uses TLS: remove tls',
    holds: ({ tls, type, checkRef }) => tls === undefined || checkRef !== undefined || type === 'https',
  },
];

const FORM_RULES: readonly Rule<Fields>[] = [
  {
    rule: `!has(self.path) || ${matchInCel('self.path', CHECK_PATH.source.replace('{0,499}', '*'))}`,
    message: `path ${CHECK_PATH_RULE}`,
    holds: ({ path }) => path === undefined || CHECK_PATH.test(path),
  },
  {
    rule: `!has(self.host) || ${matchInCel('self.host', CHECK_HOST.source)}`,
    message: `host ${CHECK_HOST_RULE}`,
    holds: ({ host }) => host === undefined || CHECK_HOST.test(host),
  },
  {
    rule: `!has(self.expect) || self.expect.all(e, ${matchInCel('e', EXPECTED)})`,
    message: 'each entry of expect must be a status such as "200", or a class such as 2xx',
    holds: ({ expect = [] }) => expect.every((each) => new RegExp(EXPECTED).test(each)),
  },
];

/** One expression, which the API server starts only for a record with a check. */
const RULES = together<Fields>(null, [
  {
    rule: 'has(self.checkRef) != has(self.type)',
    message: 'set either type (a check of this record) or checkRef (the name of a check at the DNS service)',
    holds: ({ checkRef, type }) => (checkRef === undefined) !== (type === undefined),
  },
  ...NAME_RULES,
  ...TYPE_RULES,
  ...FORM_RULES,
]);

export const healthCheck = withRules(z.object(fields), [RULES]);
export type HealthCheck = z.infer<typeof healthCheck>;

/** The members of a status: the addresses of a DNSRecord with a check. */
export const MAX_MEMBERS = 50;
