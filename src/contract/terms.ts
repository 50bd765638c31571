// The terms that a caller may ask for in keys and trusts. The REST API, the command line and the Job of the chart read
// them with these schemas.
import { z } from 'zod';
import { SIGNAL_PATTERN, SIGNAL_PATTERN_RULE } from '#base/check-form.ts';
import { clusterRight, displayName, level } from './people.ts';
import { recordType } from './record-type.ts';

const LIST_ERROR = 'must be a list of 1 to 64 strings, or null for no restriction';
const WRITES_ERROR = 'must be a whole number of at least 1, or null for the limit of the service';
const SIGNALS_ERROR = 'must be a list of at most 64 names of checks, or patterns of them';
const EXPIRY_ERROR = 'must be an ISO 8601 time with a time zone, for instance 2027-01-31T00:00:00Z, or null';

const texts = (item: z.ZodType<string>) =>
  z.array(item, { error: LIST_ERROR }).min(1, { error: LIST_ERROR }).max(64, { error: LIST_ERROR }).nullable();
const text = z.string({ error: LIST_ERROR }).min(1, { error: LIST_ERROR }).max(253, { error: LIST_ERROR });
const writes = z.int({ error: WRITES_ERROR }).min(1, { error: WRITES_ERROR }).nullable();

export const grantShape = {
  zoneId: z.string().min(1).max(64).meta({ description: 'The id of a zone of the team.' }),
  records: level.meta({ description: 'Permission on the records of this zone.' }),
};
const grant = z.strictObject(grantShape);

/** The fields that app keys and trusts have in common. */
export const keyTerms = {
  name: displayName.meta({ description: 'A name that says what the key is for.' }),
  records: level.meta({
    description: 'Permission on the records of all zones of the team. If omitted at creation: `none`.',
  }),
  manageZones: level.meta({
    description:
      'Permission on zones: `read` lists them; `write` also creates, parks and deletes them. If omitted at creation: `none`.',
  }),
  clusters: clusterRight.meta({
    description:
      'Permission on the clusters of the team: `write` sends their heartbeats and lists them, as the operator does. A key with it speaks for the clusters whose names it has. If omitted at creation: `none`.',
  }),
  signals: z
    .array(z.string({ error: SIGNAL_PATTERN_RULE }).regex(SIGNAL_PATTERN, { error: SIGNAL_PATTERN_RULE }), {
      error: SIGNALS_ERROR,
    })
    .max(64, { error: SIGNALS_ERROR })
    .meta({
      description:
        'Checks of the team that the key may send signals for, as a monitor does: names, in which `*` matches any run of characters. The key can neither read nor change them by that. If omitted at creation: none.',
      examples: [['web', 'k8s-*']],
    }),
  grants: z
    .array(grant)
    .max(1000)
    .meta({ description: 'Permissions on the records of single zones. A grant overrides `records` for its zone.' }),
  onlyNames: texts(text).meta({
    description:
      'Names, relative to the zone, that the key is restricted to; `*` matches any run of characters. A record that proves control of another name to a certificate authority is judged by that name: `_acme-challenge.dev` by `dev`. The key can neither write nor read other names. Null means that all names are allowed.',
    examples: [['_acme-challenge', '_acme-challenge.*']],
  }),
  onlyTypes: texts(recordType).meta({
    description:
      'Record types that the key is restricted to, for writing and for reading; each type by number must be listed. Null means that all types are allowed.',
    examples: [['TXT']],
  }),
  networks: texts(text).meta({
    description: 'Networks in CIDR form that the key may be used from. Null means that it may be used from anywhere.',
    examples: [['192.0.2.0/24', '2001:db8::/32']],
  }),
  zoneWrites: writes.meta({
    description: 'The number of zone writes a minute that the key may make. Null means the limit of the service.',
  }),
  recordWrites: writes.meta({
    description: 'The number of record writes a minute that the key may make. Null means the limit of the service.',
  }),
  expiresAt: z.iso
    .datetime({ offset: true, error: EXPIRY_ERROR })
    .nullable()
    .meta({ description: 'The time at which the key expires. Null means that it never expires.' }),
};

const MATCH_ERROR = 'must be an object of texts, or of such objects, at most 4 levels deep';
type Match = { [claim: string]: string | Match };
/** Written out level by level: a schema that contains itself has no form that all readers of OpenAPI understand. */
const level4 = z.string({ error: MATCH_ERROR });
const level3 = z.union([level4, z.record(z.string(), level4)], { error: MATCH_ERROR });
const level2 = z.union([level4, z.record(z.string(), level3)], { error: MATCH_ERROR });
const level1 = z.union([level4, z.record(z.string(), level2)], { error: MATCH_ERROR });
const claims = z.record(z.string(), level1, { error: MATCH_ERROR });
const match = (claims as z.ZodType<Match>).meta({
  description:
    'The claims that a token must have: `*` in a value matches any run of characters, and an object demands claims of an object. A claim with several values needs one that matches.',
  examples: [{ 'kubernetes.io': { namespace: 'team-a', serviceaccount: { name: 'external-dns' } } }],
});

const KEYS_ERROR = 'must be a JSON Web Key Set, for instance {"keys": [{"kty": "EC", …}]}';
const KIND_ERROR = 'must be discovery, jwks or pinned';
const keySource = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({
        kind: z
          .literal('discovery')
          .meta({ description: 'The issuer names the address of its keys (OpenID Connect Discovery).' }),
      }),
      z.strictObject({
        kind: z.literal('jwks').meta({ description: 'The keys are at an address.' }),
        url: z.string({ error: 'must be an https:// address' }).meta({ description: 'The address of the keys.' }),
      }),
      z.strictObject({
        kind: z.literal('pinned').meta({ description: 'The keys are in the trust.' }),
        jwks: z
          .object(
            {
              keys: z
                .array(z.looseObject({}))
                .meta({ description: 'Public keys (RFC 7517), 1 to 16.', minItems: 1, maxItems: 16 }),
            },
            { error: KEYS_ERROR },
          )
          .meta({ description: 'A JSON Web Key Set.' }),
      }),
    ],
    { error: KIND_ERROR },
  )
  .meta({
    description:
      'Where the public keys of the issuer are: `discovery` asks the issuer (OpenID Connect Discovery), `jwks` reads a set of keys or a SPIFFE bundle from an address, and `pinned` contains the keys. If omitted at creation: `discovery`.',
  });

const issuer = z
  .string({ error: 'must be the "iss" of the tokens' })
  .min(1, { error: 'must be the "iss" of the tokens' })
  .meta({
    description: 'The issuer of the tokens (`iss`): an `https://` address, or `spiffe://` with a trust domain.',
    examples: ['https://token.actions.githubusercontent.com'],
  });
const audience = z.string({ error: 'must be a text' }).meta({
  description:
    'The audience (`aud`) that a token must have. If omitted at creation: `zonestead/<teamId>`, which no other team may use. Another audience belongs to the first team that has a trust for it and the issuer.',
});
const maxTokenAge = z.number({ error: 'must be a number of seconds from 60 to 3600' }).meta({
  description:
    'The longest lifetime and the highest age of a token in seconds, from 60 to 3600. If omitted at creation: 3600.',
});
const pinSubjects = z.boolean({ error: 'must be true or false' }).meta({
  description:
    'Whether the UID of a service account is kept at its first request, so that an account with the same name that was created later is refused. If omitted at creation: true if `match` accepts several namespaces.',
});

/** The rights of a trust that are those of a key. */
const { name: _, onlyNames: __, ...trustRights } = keyTerms;

export { trustRights };

const NAMES_ERROR = 'must be a list of 1 to 64 strings, or null for no restriction';
const onlyNames = z
  .array(z.string({ error: NAMES_ERROR }).min(1, { error: NAMES_ERROR }).max(512, { error: NAMES_ERROR }), {
    error: NAMES_ERROR,
  })
  .min(1, { error: NAMES_ERROR })
  .max(64, { error: NAMES_ERROR })
  .nullable()
  .meta({
    description: `Names, relative to the zone, that the holders of tokens are restricted to, as of an app key. \`\${claim}\` stands for the value of a claim in \`match\`, which must be one DNS label; \`\${namespace}\` and \`\${serviceaccount}\` are those of a Kubernetes token. Null means that all names are allowed.`,
    examples: [[`*.\${namespace}`]],
  });

/** The fields of a trust. */
export const trustTerms = {
  name: displayName.meta({ description: 'A name that says what the trust is for.' }),
  audience,
  keySource,
  match,
  maxTokenAge,
  pinSubjects,
  ...trustRights,
  onlyNames,
  issuer,
};

/**
 * The fields of a trust of the administrator of the service, whose trusts may also be for the cluster of the service,
 * and read the keys of an issuer at a private address.
 */
export const administratorTrustTerms = {
  ...trustTerms,
  keySource: z.discriminatedUnion('kind', [
    ...keySource.options,
    z.strictObject({ kind: z.literal('cluster') }),
    z.strictObject({ kind: z.literal('token-review') }),
  ]),
  ca: z.string().nullable(),
  privateAddresses: z.boolean(),
};
