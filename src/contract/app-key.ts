// The contract of app keys: the permissions that a key can have, and the form in which a key is shown.
import { z } from 'zod';
import { DEFAULT_TSIG_KEY_ALGORITHM, TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { email, pathId, teamParams, userId } from './people.ts';
import { moment } from './shared.ts';
import { grantShape, keyTerms } from './terms.ts';

const id = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the key.', examples: ['3f9c2d1e8a7b'] });
export const keyParams = teamParams.extend({ keyId: pathId.meta({ description: 'The id of the key.' }) });

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
export const buildCreator = (what: string) =>
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
  mintedBy: buildCreator('the key'),
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
