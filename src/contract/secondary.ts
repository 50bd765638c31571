// The contract of secondaries as the owners of zones see them: name servers that get zones by zone transfer.
import { z } from 'zod';
import { MAX_CHOSEN } from '#dns/secondaries/secondary.ts';

const name = z.string().meta({ description: 'The name of the secondary.', examples: ['eu'] });
const nameservers = z
  .array(z.string())
  .meta({ description: 'The names that it adds to the NS records of its zones. A hidden secondary has none.' });

const offeredSecondary = z
  .object({
    name,
    nameservers,
    allZones: z
      .boolean()
      .meta({ description: 'Whether it has every zone of the service, so no zone needs to choose it.' }),
    namespaces: z.array(z.string()).nullable().meta({
      description:
        'Null: for every zone. Otherwise it is offered only to the objects of these Kubernetes namespaces, which the operator checks.',
    }),
  })
  .meta({ id: 'OfferedSecondary', description: 'A secondary that the owner of a zone may choose.' });
export type OfferedSecondary = z.infer<typeof offeredSecondary>;

/** Answer of `GET /secondaries`. */
export const offeredSecondaries = z
  .object({ secondaries: z.array(offeredSecondary).meta({ description: 'The secondaries, by name.' }) })
  .meta({ id: 'OfferedSecondaries', description: 'The secondaries that are offered to the teams of the key.' });

/** A secondary that has a zone, in the answers about the zone. */
export const zoneSecondary = z
  .object({
    name,
    nameservers,
    listedBy: z.enum(['administrator', 'owner', 'all']).meta({
      description:
        'Why it has the zone: the administrator of the service listed the zone, or its owner chose the secondary, or it has all zones. The first of `all`, `administrator`, `owner` that is true.',
    }),
    chosen: z.boolean().meta({ description: 'Whether the owner of the zone chose it.' }),
    state: z.enum(['current', 'behind', 'silent', 'unknown']).meta({
      description:
        '`current`: it has the last change of the zone. `behind`: it does not have it. `silent`: it does not answer. `unknown`: no name server has reported about it within the last 30 seconds, or too many zones are behind to name all.',
    }),
    serial: z.int().optional().meta({ description: 'The serial that it answers, if it is not current.' }),
    since: z.iso.datetime().optional().meta({
      description: 'The time since which it is not current, or for `unknown` the time of the last report.',
    }),
    reason: z.string().optional().meta({ description: 'Why it is not current.' }),
  })
  .meta({ id: 'ZoneSecondary', description: 'A secondary of a zone, as the source of its transfers sees it.' });
export type ZoneSecondary = z.infer<typeof zoneSecondary>;

/** Answer of `GET` and `PUT /zones/{id}/secondaries`. */
export const zoneSecondaries = z
  .object({ secondaries: z.array(zoneSecondary).meta({ description: 'The secondaries, by name.' }) })
  .meta({ id: 'ZoneSecondaries', description: 'The secondaries that have a zone.' });

const LIST = `must be a list of at most ${MAX_CHOSEN} names of secondaries`;

/** `PUT /zones/{id}/secondaries`. */
export const zoneSecondariesBody = z
  .strictObject({
    secondaries: z
      .array(z.string({ error: LIST }).min(1, { error: LIST }).max(32, { error: LIST }), { error: LIST })
      .max(MAX_CHOSEN, { error: LIST })
      .meta({
        description:
          'The names of the secondaries that the owner chooses. The list replaces the earlier choice; an empty list chooses none. Secondaries that the administrator listed stay.',
        examples: [['eu']],
      }),
  })
  .meta({ id: 'ZoneSecondariesChange', description: "The owner's choice of secondaries." });
