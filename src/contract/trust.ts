// The contract of trusts: the tokens that a trust accepts, the rights that it gives, and its subjects.
import { z } from 'zod';
import { buildCreator } from './app-key.ts';
import { pathId, teamParams } from './people.ts';
import { moment } from './shared.ts';
import { grantShape, trustRights, trustTerms } from './terms.ts';

export const trustParams = teamParams.extend({ trustId: pathId.meta({ description: 'The id of the trust.' }) });

/** `PATCH /account/teams/{teamId}/trusts/{trustId}`: an omitted field keeps its value. */
export const trustChangeBody = z
  .strictObject(trustTerms)
  .partial()
  .meta({
    id: 'TrustChange',
    description: 'The changes to a trust. An omitted field keeps its value. The issuer cannot change.',
    examples: [{ records: 'read' }],
  });

/** `POST /account/teams/{teamId}/trusts`. */
export const trustBody = z
  .strictObject(trustTerms)
  .partial()
  .required({ name: true, issuer: true, match: true })
  .meta({
    id: 'TrustCreate',
    description: 'The trust to create. An omitted permission is `none`; an omitted restriction means no restriction.',
    examples: [
      {
        name: 'deployments',
        issuer: 'https://token.actions.githubusercontent.com',
        match: { repository: 'acme/infrastructure', environment: 'production' },
        records: 'write',
      },
    ],
  });

const trustFields = {
  id: z.string().meta({ description: 'The id of the trust.', examples: ['trust_3f9c2d1e8a7b'] }),
  name: z.string().meta({ description: 'The name that says what the trust is for.' }),
  issuer: z.string().meta({ description: 'The issuer of the tokens (`iss`).' }),
  audience: trustTerms.audience,
  keySource: z
    .object({
      kind: z
        .string()
        .meta({ description: '`discovery`, `jwks`, `pinned`, `cluster` or `token-review`.', examples: ['discovery'] }),
      url: z.string().optional().meta({ description: 'The address of the keys, for `jwks`.' }),
      jwks: z
        .object({ keys: z.array(z.looseObject({})).meta({ description: 'Public keys (RFC 7517).' }) })
        .optional()
        .meta({ description: 'The keys, for `pinned`.' }),
    })
    .meta({
      description:
        'Where the public keys of the issuer are. `cluster` and `token-review` are the cluster of the service; only its administrator can use them.',
    }),
  privateAddresses: z.boolean().meta({
    description: 'Whether the keys may be at a private address. Only the administrator of the service can set it.',
  }),
  match: trustTerms.match,
  maxTokenAge: trustTerms.maxTokenAge,
  pinSubjects: trustTerms.pinSubjects,
  ...trustRights,
  grants: z
    .array(z.object(grantShape))
    .meta({ description: 'Permissions on the records of single zones. A grant overrides `records` for its zone.' }),
  onlyNames: z.array(z.string()).nullable().meta({
    description: 'Patterns of names, with their templates. Null means that there is no restriction.',
  }),
  onlyTypes: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Record types of the holders of tokens. Null means that there is no restriction.' }),
  networks: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Networks that tokens may be used from. Null means that they may be used from anywhere.' }),
  createdBy: buildCreator('the trust'),
  expiresAt: moment
    .nullable()
    .meta({ description: 'The time at which the trust expires. Null means that it never expires.' }),
  createdAt: moment.meta({ description: 'The time at which the trust was created.' }),
  revokedAt: moment
    .nullable()
    .meta({ description: 'The time at which the trust was revoked. Null means that it is not revoked.' }),
  awaitedZones: z.array(z.string()).meta({
    description:
      'The names of zones that the installation declared for the trust and that the team does not have yet. The trust gets its right on the records of each when the team creates it.',
  }),
  lastUsedAt: moment.nullable().meta({
    description:
      'The time of the last request with a token, rounded down to the minute. Null means that there was none.',
  }),
  subjects: z.int().meta({ description: 'The number of subjects that have used the trust.' }),
};

export const trust = z.object(trustFields).meta({
  id: 'Trust',
  description: 'A trust: tokens of an issuer are accepted in the place of an app key.',
});

export const trustList = z
  .object({ trusts: z.array(trust).meta({ description: 'The trusts.' }) })
  .meta({ id: 'TrustList', description: 'The trusts of a team, including revoked ones.' });

const subject = z.string().meta({
  description: 'The subject of the tokens (`sub`).',
  examples: ['system:serviceaccount:team-a:external-dns'],
});

export const trustSubjects = z
  .object({
    subjects: z
      .array(
        z.object({
          subject,
          keyId: z.string().meta({ description: 'The id of the subject, as the history and the logs show it.' }),
          createdAt: moment.meta({ description: 'The time of the first request.' }),
          lastUsedAt: moment
            .nullable()
            .meta({ description: 'The time of the last request, rounded down to the minute.' }),
          lastUsedBy: z.string().nullable().meta({ description: 'The User-Agent of the last request.' }),
          pinnedUid: z.string().nullable().meta({
            description: 'The UID of the service account that is accepted. Null means that it is not pinned.',
          }),
        }),
      )
      .meta({ description: 'The subjects that used the trust last, at most 1000.' }),
    total: z.int().meta({ description: 'The number of all subjects.' }),
  })
  .meta({ id: 'TrustSubjects', description: 'The subjects of a trust: those that have used it.' });

const UID_ERROR = 'must be the UID of a service account, of 1 to 128 characters';

/** `POST /account/teams/{teamId}/trusts/{trustId}/subjects/accept`. */
export const acceptBody = z
  .strictObject({
    subject: z
      .string({ error: 'must be a subject of the trust' })
      .min(1)
      .max(512)
      .meta({ description: 'The subject, as the list of subjects shows it.' }),
    uid: z
      .string({ error: UID_ERROR })
      .regex(/^[\x20-\x7e]{1,128}$/, { error: UID_ERROR })
      .nullable()
      .optional()
      .meta({ description: 'The UID of the service account. Null or omitted: that of its next token.' }),
  })
  .meta({
    id: 'TrustAccept',
    description: 'A service account that was created again, and whose tokens are to be accepted.',
    examples: [{ subject: 'system:serviceaccount:team-a:external-dns', uid: '0b7f1c7e-5f0c-4a0e-9b5c-6f2d7a1e8c3d' }],
  });

/** `POST /account/teams/{teamId}/trusts/test`. */
export const trustTestBody = z
  .strictObject({
    token: z
      .string({ error: 'must be a JSON Web Token' })
      .min(1, { error: 'must be a JSON Web Token' })
      .meta({ description: 'A JSON Web Token. It is checked and not stored.' }),
  })
  .meta({ id: 'TrustTestRequest', description: 'The token to test.', examples: [{ token: 'eyJhbGciOi…' }] });

export const trustTest = z
  .object({
    issuer: z.string().nullable().meta({ description: 'The issuer that the token names.' }),
    subject: z.string().nullable().meta({ description: 'The subject that the token names.' }),
    trust: z
      .string()
      .nullable()
      .meta({ description: 'The id of the trust that a request with the token uses. Null: the token is refused.' }),
    verdicts: z
      .array(
        z.object({
          trust: z.string().meta({ description: 'The id of the trust.' }),
          name: z.string().meta({ description: 'The name of the trust.' }),
          accepts: z.boolean().meta({ description: 'Whether the trust accepts the token.' }),
          reason: z.string().meta({ description: 'Why the trust accepts the token, or why not.' }),
          onlyNames: z
            .array(z.string())
            .nullable()
            .optional()
            .meta({ description: 'The patterns of names with the claims of the token. Absent if it is refused.' }),
        }),
      )
      .meta({ description: 'The verdict of each trust of the team that is neither revoked nor expired.' }),
  })
  .meta({ id: 'TrustTest', description: 'The trust that a token is for, or why none accepts it.' });
