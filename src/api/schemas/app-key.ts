// The contract of app keys: what a key may do, and what is shown of it. It must not know what a pattern or a network
// means; zones/ judges that.
import { z } from 'zod';
import { RECORD_TYPES } from '../../dns/types/record-type.ts';
import { displayName, level, pathId, teamParams } from './people.ts';
import { moment } from './shared.ts';

const id = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of a key.', examples: ['3f9c2d1e8a7b'] });
export const keyParams = teamParams.extend({ keyId: pathId.meta({ description: 'Id of a key.' }) });

const LIST_ERROR = 'must be a list of 1 to 64 texts, or null for no restriction';
const WRITES_ERROR = 'must be a whole number of at least 1, or null for what the service allows';
const TYPE_ERROR = `must be one of ${RECORD_TYPES.join(', ')}`;
const EXPIRY_ERROR = 'must be a moment in ISO 8601 with time zone, for instance 2027-01-31T00:00:00Z, or null';

const texts = (item: z.ZodType<string>) =>
  z.array(item, { error: LIST_ERROR }).min(1, { error: LIST_ERROR }).max(64, { error: LIST_ERROR }).nullable();
const text = z.string({ error: LIST_ERROR }).min(1, { error: LIST_ERROR }).max(253, { error: LIST_ERROR });
const writes = z.int({ error: WRITES_ERROR }).min(1, { error: WRITES_ERROR }).nullable();

const grant = z.strictObject({
  zoneId: z.string().min(1).max(64).meta({ description: 'A zone of the team.' }),
  records: level,
});

const terms = {
  name: displayName.meta({ description: 'What the key is for.' }),
  records: level.meta({ description: 'Right on the records of all zones of the team.' }),
  manageZones: level.meta({ description: 'Right to read (read) and to create, park and delete zones (write).' }),
  grants: z
    .array(grant)
    .max(1000)
    .meta({ description: 'Rights on the records of single zones; they win over `records`.' }),
  onlyNames: texts(text).meta({
    description:
      'Names relative to the zone that the key is restricted to, `*` standing for any run of characters: it can neither write nor read others. Null: all.',
    examples: [['_acme-challenge', '_acme-challenge.*']],
  }),
  onlyTypes: texts(z.enum(RECORD_TYPES, { error: TYPE_ERROR })).meta({
    description: 'Record types that the key is restricted to, for reading too. Null: all.',
    examples: [['TXT']],
  }),
  networks: texts(text).meta({
    description: 'Networks that the key may be used from. Null: anywhere.',
    examples: [['192.0.2.0/24', '2001:db8::/32']],
  }),
  zoneWrites: writes.meta({ description: "Zone writes a minute, less than the service's limit. Null: that limit." }),
  recordWrites: writes.meta({
    description: "Record writes a minute, less than the service's limit. Null: that limit.",
  }),
  expiresAt: z.iso
    .datetime({ offset: true, error: EXPIRY_ERROR })
    .nullable()
    .meta({ description: 'When the key ends. Null: never.' }),
};

/** `PATCH /account/teams/{teamId}/keys/{keyId}`: what is left out stays. */
export const keyChangeBody = z
  .strictObject(terms)
  .partial()
  .meta({ id: 'AppKeyChange', description: 'What shall change of an app key.', examples: [{ records: 'read' }] });

/** `POST /account/teams/{teamId}/keys`: what is left out is `none`, or no restriction. */
export const keyBody = z
  .strictObject(terms)
  .partial()
  .required({ name: true })
  .meta({
    id: 'AppKeyMint',
    description: 'An app key to be minted.',
    examples: [
      {
        name: 'certificates',
        records: 'write',
        onlyNames: ['_acme-challenge', '_acme-challenge.*'],
        onlyTypes: ['TXT'],
      },
    ],
  });

const shown = {
  id,
  ...terms,
  name: z.string(),
  onlyNames: z.array(z.string()).nullable(),
  onlyTypes: z.array(z.string()).nullable(),
  networks: z.array(z.string()).nullable(),
  grants: z.array(z.object({ zoneId: z.string(), records: level })),
  expiresAt: moment.nullable(),
  createdAt: moment,
  revokedAt: moment.nullable(),
  lastUsedAt: moment.nullable().meta({ description: 'To the minute.' }),
};

export const appKey = z
  .object(shown)
  .meta({ id: 'AppKey', description: 'A key of an app account, without its secret.' });

export const appKeyMinted = z
  .object({ ...shown, secret: z.string().meta({ description: 'The whole key, `yk_…`. It is shown this once.' }) })
  .meta({ id: 'AppKeyMinted', description: 'A new key with its secret.' });

export const appKeyList = z.object({ keys: z.array(appKey) }).meta({ id: 'AppKeyList' });

export type AppKey = z.infer<typeof appKey>;
