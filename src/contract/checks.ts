// The contract of `/v1/checks`: the definitions of health checks, the states of their addresses, and pins.
import { z } from 'zod';
import {
  ADDRESS_STATES,
  CHECK_HOST,
  CHECK_HOST_RULE,
  CHECK_PATH,
  CHECK_PATH_RULE,
  CHECK_RANGES,
  CHECK_TYPES,
  DECIDED_STATES,
  EXPECT_RULE,
  MAX_CHECK_HOST,
  MAX_EXPECTED,
  PROBE_TYPES,
  SIGNAL_TTL,
  STATUS_CLASSES,
} from '#base/check-form.ts';
import { CHECK_NAME, CHECK_NAME_RULE } from '#base/part-names.ts';
import { chosenOwner, moment } from './shared.ts';

const TYPE_ERROR = `must be one of ${CHECK_TYPES.join(', ')}`;
const PORT_ERROR = 'must be a whole number from 1 to 65535';
const STATE_ERROR = 'must be "Healthy" or "Unhealthy"';
const REASON_ERROR = 'must be a line of text of 1 to 200 characters';
const TTL_ERROR = `must be a whole number of seconds from ${SIGNAL_TTL.least} to ${SIGNAL_TTL.most} (1 day)`;
const SECONDS_ERROR = 'must be a whole number of seconds from 60 to 2592000 (30 days)';

export const checkName = z
  .string({ error: CHECK_NAME_RULE })
  .regex(CHECK_NAME, { error: CHECK_NAME_RULE })
  .meta({
    description: 'The name of the check. Records name it in `check`.',
    examples: ['web'],
  });

export const checkParams = z.object({ name: checkName });
export const targetParams = checkParams.extend({
  address: z.string().max(45).meta({ description: 'An address that records with the check have.' }),
});

export const checkQuery = z.strictObject({
  owner: chosenOwner.optional().meta({
    description:
      'The owner of the check: `org:<teamId>` or `personal`. If omitted: the team of an app key. For a person, a new check is then personal, and other requests look at all checks that the person sees.',
    examples: ['org:team_7b1f'],
  }),
});

/** A number of seconds in the range of a field. */
function seconds(field: 'interval' | 'timeout' | 'retryInterval') {
  const { least, most, standard } = CHECK_RANGES[field];
  const error = `must be a number of seconds from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error }).default(standard);
}

/** A whole number in the range of a field. */
function times(field: 'failures' | 'successes') {
  const { least, most, standard } = CHECK_RANGES[field];
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error }).default(standard);
}

const status = z.union([z.int().min(100).max(599), z.enum(STATUS_CLASSES)], {
  error: EXPECT_RULE,
});

const ONLY_WITH_HTTP = ['path', 'host', 'expect'] as const;

/** The definition of a check whose addresses the service probes. */
export const probeBody = z
  .strictObject({
    type: z.enum(PROBE_TYPES, { error: `must be one of ${PROBE_TYPES.join(', ')}` }).meta({
      description: '`https` and `http` send a GET request, without following redirects. `tcp` opens a connection.',
    }),
    port: z
      .int({ error: PORT_ERROR })
      .min(1, { error: PORT_ERROR })
      .max(65_535, { error: PORT_ERROR })
      .optional()
      .meta({ description: 'The port. Required for `tcp`; otherwise 443 or 80 if omitted.' }),
    path: z
      .string({ error: CHECK_PATH_RULE })
      .regex(CHECK_PATH, { error: CHECK_PATH_RULE })
      .optional()
      .meta({ description: 'The path of the request. If omitted: `/`. Not for `tcp`.', examples: ['/healthz'] }),
    host: z
      .string({ error: CHECK_HOST_RULE })
      .max(MAX_CHECK_HOST, { error: CHECK_HOST_RULE })
      .regex(CHECK_HOST, { error: CHECK_HOST_RULE })
      .optional()
      .meta({
        description:
          'The host name that the request is for, and whose certificate an `https` server must have. If omitted: the address. Not for `tcp`.',
        examples: ['www.example.com'],
      }),
    expect: z
      .array(status, { error: EXPECT_RULE })
      .min(1, { error: EXPECT_RULE })
      .max(MAX_EXPECTED, { error: EXPECT_RULE })
      .optional()
      .meta({ description: 'The statuses of a healthy answer. If omitted: `2xx` and `3xx`. Not for `tcp`.' }),
    interval: seconds('interval').meta({ description: 'Seconds between two probes. If omitted: 10.' }),
    timeout: seconds('timeout').meta({ description: 'Seconds until a probe without an answer has failed.' }),
    failures: times('failures').meta({
      description: 'So many failures in a row make an address unhealthy. If omitted: 3.',
    }),
    retryInterval: seconds('retryInterval').meta({
      description: 'Seconds until the next probe after a failure, until the address is unhealthy. If omitted: 0.5.',
    }),
    successes: times('successes').meta({
      description: 'So many successes in a row make an unhealthy address healthy. If omitted: 2.',
    }),
    tls: z.enum(['verify', 'none'], { error: 'must be "verify" or "none"' }).optional().meta({
      description:
        'Only for `https`. `verify`: the certificate must be valid for the host. `none`: any certificate will do. If omitted: `verify`.',
    }),
  })
  .superRefine((check, issues) => {
    const add = (field: string, message: string) => issues.addIssue({ code: 'custom', path: [field], message });
    if (check.type === 'tcp') {
      if (check.port === undefined) add('port', 'is required for a check of the type tcp');
      for (const field of ONLY_WITH_HTTP)
        if (check[field] !== undefined) add(field, 'must be omitted, because a check of the type tcp sends no request');
    }
    if (check.type !== 'https' && check.tls !== undefined)
      add('tls', 'must be omitted, because only a check of the type https uses TLS');
  })
  .meta({
    id: 'ProbeCheck',
    description:
      'A check that the service makes: the request that it sends, and the failures that make an address unhealthy.',
    examples: [{ type: 'https', host: 'www.example.com', path: '/healthz' }],
  });

const signalBody = z
  .strictObject(
    {
      type: z.literal('signal').meta({ description: 'A monitor sends the state, and nothing is probed.' }),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `a check of the type signal has only a type, because nothing is probed: omit ${issue.keys?.join(', ')}`
          : undefined,
    },
  )
  .meta({
    id: 'SignalCheck',
    description: 'A check whose state a monitor sends with `setCheckSignal`.',
    examples: [{ type: 'signal' }],
  });

export const checkBody = z.discriminatedUnion('type', [probeBody, signalBody], { error: TYPE_ERROR }).meta({
  id: 'CheckWrite',
  description: 'The definition of a check: a probe, or the signals of a monitor.',
});

const reasonLine = z
  .string({ error: REASON_ERROR })
  .min(1, { error: REASON_ERROR })
  .max(200, { error: REASON_ERROR })
  // A pattern in the schema would need Unicode properties, which many tools that read OpenAPI do not support.
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: REASON_ERROR });

const pin = z
  .object({
    state: z.enum(DECIDED_STATES).meta({ description: 'The state that the address counts as.' }),
    reason: z.string().meta({ description: 'Why, in the words of the person.' }),
    by: z.string().meta({ description: 'The key that pinned it.' }),
    until: moment.meta({ description: 'When the pin ends.' }),
  })
  .meta({ id: 'Pin', description: "A person's decision about an address, which counts instead of the probes." });

export const pinBody = z
  .strictObject({
    state: z.enum(DECIDED_STATES, { error: STATE_ERROR }).meta({
      description: 'With `Unhealthy`, answers omit the address; with `Healthy`, they have it.',
    }),
    reason: reasonLine.meta({ description: 'Why, for the people who see it.', examples: ['kernel update'] }),
    seconds: z
      .int({ error: SECONDS_ERROR })
      .min(60, { error: SECONDS_ERROR })
      .max(2_592_000, { error: SECONDS_ERROR })
      .meta({ description: 'How long the pin lasts, from 60 to 2592000 seconds.' }),
  })
  .meta({ id: 'PinWrite', description: "A person's decision about an address." });

export const signalWrite = z
  .strictObject({
    state: z.enum(DECIDED_STATES, { error: STATE_ERROR }).meta({ description: 'The state of the addresses.' }),
    ttlSeconds: z
      .int({ error: TTL_ERROR })
      .min(SIGNAL_TTL.least, { error: TTL_ERROR })
      .max(SIGNAL_TTL.most, { error: TTL_ERROR })
      .default(SIGNAL_TTL.standard)
      .meta({
        description:
          'The signal ends after so many seconds without another one; the state is then `Unknown`, which counts as healthy. If omitted: 300.',
      }),
    address: z
      .string()
      .min(1)
      .max(45)
      .optional()
      .meta({
        description:
          'The only address that the signal is for. If omitted: all addresses of the check that have no signal of their own, also those of records that follow.',
        examples: ['192.0.2.1'],
      }),
    reason: reasonLine
      .optional()
      .meta({ description: 'Why, for the people who see the state.', examples: ['5 of 6 logins failed'] }),
  })
  .meta({
    id: 'SignalWrite',
    description: 'The state that a monitor sends for the addresses of a check of the type `signal`.',
    examples: [{ state: 'Unhealthy', ttlSeconds: 60, reason: '5 of 6 logins failed' }],
  });

export const signal = z
  .object({
    address: z.string().nullable().meta({
      description:
        'The address that the signal is for. Null: all addresses of the check that have no signal of their own.',
    }),
    state: z.enum(DECIDED_STATES).meta({ description: 'The state of the addresses.' }),
    reason: z.string().meta({ description: 'Why, as the monitor says it.' }),
    until: moment.meta({ description: 'When the signal ends, unless the monitor sends another one.' }),
  })
  .meta({ id: 'Signal', description: 'The state that a monitor sent for the addresses of a check.' });

export const target = z
  .object({
    address: z.string().meta({ description: 'The address, as records have it.' }),
    state: z.enum(ADDRESS_STATES).meta({
      description:
        'The state by the probes or the signals. `Unknown` counts as healthy: the address was not probed yet or may not be, or no signal about it lasts.',
    }),
    reason: z.string().nullable().meta({ description: 'Why, as a sentence. Null: nothing is known yet.' }),
    since: moment.meta({ description: 'Since when it is in this state.' }),
    down: z.boolean().meta({
      description:
        'Whether answers omit records with the address while others work: the pin decides, or else the state.',
    }),
    pin: pin.nullable().meta({ description: 'Null: the address is not pinned.' }),
    nameServers: z
      .object({
        total: z.int().meta({ description: 'The name servers that probe the address.' }),
        unhealthy: z.int().meta({ description: 'Those of them that say that it does not work.' }),
      })
      .nullable()
      .meta({
        description:
          'The view of the name servers that decide about the address, at this moment. Null: the probes of the api or the signals decide.',
      }),
  })
  .meta({ id: 'CheckTarget', description: 'An address that records with the check have.' });

const change = z
  .object({
    address: z.string().meta({ description: 'The address.' }),
    at: moment.meta({ description: 'When its state changed.' }),
    before: z.enum(ADDRESS_STATES).meta({ description: 'The state until then.' }),
    state: z.enum(ADDRESS_STATES).meta({ description: 'The state since then.' }),
    reason: z.string().nullable().meta({ description: 'Why, as a sentence.' }),
  })
  .meta({ id: 'CheckChange', description: 'A change of the state of an address.' });

const counts = z
  .object({
    healthy: z.int().meta({ description: 'Addresses that work.' }),
    unhealthy: z.int().meta({ description: 'Addresses that do not.' }),
    unknown: z.int().meta({ description: 'Addresses about which nothing is known yet.' }),
  })
  .meta({ id: 'CheckCounts', description: 'The number of addresses in each state.' });

const shape = {
  name: checkName,
  owner: z.string().meta({ description: 'The owner of the check: `org:<teamId>` or `personal`.' }),
  definition: checkBody.meta({ description: 'The definition, with all defaults.' }),
  counts,
  revision: z.string().meta({
    description:
      'A text that changes when the definition changes, or an address, its state, its reason or its pin. A client that keeps it reads the addresses again only then. It does not change with `nameServers`.',
  }),
  createdAt: moment.meta({ description: 'When the check was created.' }),
  updatedAt: moment.meta({ description: 'When its definition changed last.' }),
};

export const check = z
  .object({
    ...shape,
    targets: z.array(target).meta({
      description:
        'The addresses of the records that name the check, at most 1000: those that fail or are pinned before the others.',
    }),
    changes: z.array(change).meta({
      description: 'The last changes of the states of these addresses, the newest first, at most 100.',
    }),
    signals: z
      .array(signal)
      .meta({ description: 'The signals that last, at most 1000. Always empty for a check that is probed.' }),
  })
  .meta({ id: 'Check', description: 'A health check with its addresses.' });

export const checkList = z
  .object({
    checks: z
      .array(z.object(shape).meta({ id: 'ListedCheck', description: 'A health check.' }))
      .meta({ description: 'The checks, by name.' }),
  })
  .meta({ id: 'CheckList', description: 'The checks that the key may see.' });

export type CheckDefinition = z.output<typeof checkBody>;
export type ProbeDefinition = z.output<typeof probeBody>;
export type CheckView = z.infer<typeof check>;
export type TargetView = z.infer<typeof target>;
export type ChangeView = z.infer<typeof change>;
export type SignalView = z.infer<typeof signal>;
