// The contract of app keys: the permissions that a key can have, and the form in which a key is shown.
import { z } from 'zod';
import { DEFAULT_TSIG_KEY_ALGORITHM, TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { clusterRight, displayName, email, level, pathId, teamParams, userId } from './people.ts';
import { recordType } from './record-type.ts';
import { moment } from './shared.ts';

const id = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the key.', examples: ['3f9c2d1e8a7b'] });
export const keyParams = teamParams.extend({ keyId: pathId.meta({ description: 'The id of the key.' }) });

const LIST_ERROR = 'must be a list of 1 to 64 strings, or null for no restriction';
const WRITES_ERROR = 'must be a whole number of at least 1, or null for the limit of the service';
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

const ALGORITHM_ERROR = `must be one of ${TSIG_KEY_ALGORITHMS.join(', ')}`;
const algorithm = z.enum(TSIG_KEY_ALGORITHMS, { error: ALGORITHM_ERROR });
const tsigWish = z
  .strictObject({
    algorithm: algorithm.optional().meta({
      description: `The algorithm of the TSIG key. If omitted: \`${DEFAULT_TSIG_KEY_ALGORITHM}\`. Use \`hmac-md5\` only for old clients.`,
    }),
  })
  .nullable()
  .meta({
    description:
      'Makes a TSIG key (RFC 8945) with the rights of this key, for DNS updates and transfers. Null or omitted: no TSIG key.',
    examples: [{}, { algorithm: 'hmac-sha512' }],
  });
const tsigShape = {
  name: z.string().meta({ description: 'The name of the TSIG key, without final dot.' }),
  algorithm: algorithm.meta({ description: 'The algorithm of the TSIG key.' }),
};

/** `PATCH /account/teams/{teamId}/keys/{keyId}`: an omitted field keeps its value. */
export const keyChangeBody = z
  .strictObject(keyTerms)
  .partial()
  .meta({
    id: 'AppKeyChange',
    description: 'The changes to an app key. An omitted field keeps its value.',
    examples: [{ records: 'read' }],
  });

/**
 * `POST /account/teams/{teamId}/keys`: an omitted permission is `none`, an omitted restriction means no restriction.
 */
export const keyBody = z
  .strictObject({ ...keyTerms, tsig: tsigWish })
  .partial()
  .required({ name: true })
  .meta({
    id: 'AppKeyCreate',
    description: 'The app key to create. An omitted permission is `none`; an omitted restriction means no restriction.',
    examples: [
      {
        name: 'certificates',
        records: 'write',
        onlyNames: ['_acme-challenge', '_acme-challenge.*'],
        onlyTypes: ['TXT'],
      },
    ],
  });

/** The person who created a key or a trust. @param what as in "the key" */
export const creatorOf = (what: string) =>
  z
    .object({
      userId,
      email,
      isMember: z.boolean().meta({ description: 'Whether the person is still a member of the team.' }),
    })
    .nullable()
    .meta({
      description: `The person who created ${what}. Null means that the command line or the installation created it.`,
    });

const keyFields = {
  id,
  ...keyTerms,
  mintedBy: creatorOf('the key'),
  name: z.string().meta({ description: 'The name that says what the key is for.' }),
  onlyNames: z.array(z.string()).nullable().meta({
    description: 'Patterns of record names that the key is restricted to. Null means that there is no restriction.',
  }),
  onlyTypes: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Record types that the key is restricted to. Null means that there is no restriction.' }),
  networks: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Networks that the key may be used from. Null means that it may be used from anywhere.' }),
  grants: z
    .array(z.object(grantShape))
    .meta({ description: 'Permissions on the records of single zones. A grant overrides `records` for its zone.' }),
  expiresAt: moment
    .nullable()
    .meta({ description: 'The time at which the key expires. Null means that it never expires.' }),
  createdAt: moment.meta({ description: 'The time at which the key was created.' }),
  revokedAt: moment
    .nullable()
    .meta({ description: 'The time at which the key was revoked. Null means that it is not revoked.' }),
  lastUsedAt: moment.nullable().meta({
    description:
      'The time of the last request with the key, rounded down to the minute. Null means that it was never used.',
  }),
  tsig: z
    .object(tsigShape)
    .nullable()
    .meta({ description: 'The TSIG key, without its secret. Null means that the key has none.' }),
};

export const appKey = z
  .object(keyFields)
  .meta({ id: 'AppKey', description: 'A key of an app account, without its secret.' });

export const appKeyMinted = z
  .object({
    ...keyFields,
    secret: z.string().meta({ description: 'The complete key, `yk_…`. It is shown only once.' }),
    tsig: z
      .object({
        ...tsigShape,
        secret: z.string().meta({ description: 'The secret of the TSIG key in base64. It is shown only once.' }),
        keyFile: z.string().meta({ description: 'The TSIG key as a file for nsupdate, dig and BIND.' }),
      })
      .nullable()
      .meta({ description: 'The TSIG key with its secret. Null means that the key has none.' }),
  })
  .meta({ id: 'AppKeyCreated', description: 'A new key, with its secret.' });

export const appKeyList = z
  .object({ keys: z.array(appKey).meta({ description: 'The keys.' }) })
  .meta({ id: 'AppKeyList', description: 'The app keys of a team, including revoked ones.' });
