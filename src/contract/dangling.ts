// The contract of dangling names: records whose target does not exist.
import { z } from 'zod';
import { recordType } from './record-type.ts';
import { moment, next, page } from './shared.ts';
import { zoneId } from './zone.ts';

export const danglingQuery = z.strictObject({
  zone: z
    .string()
    .max(64, { error: 'must be the id of a zone' })
    .optional()
    .meta({
      description: 'The id of a zone. If omitted: all zones whose records the key may read.',
      examples: ['zone_5f2c1e8a'],
    }),
  ...page,
  limit: page.limit.meta({
    description: 'The largest number of items in the answer, from 1 to 1000. If omitted: 1000.',
  }),
});

export const danglingName = z
  .object({
    zoneId,
    zoneName: z.string().meta({ description: 'The name of the zone.', examples: ['shop.example'] }),
    recordId: z.string().meta({ description: 'The id of the record.' }),
    name: z.string().meta({ description: 'The name of the record, relative to the zone.', examples: ['blog'] }),
    type: recordType.meta({ description: 'The type of the record.' }),
    target: z.string().meta({
      description: 'The name that the record points to, without final dot.',
      examples: ['shop-blog.pages.example.net'],
    }),
    missing: z.enum(['name', 'domain']).meta({
      description:
        '`name`: `missingName` does not exist. `domain`: its registrable domain does not exist either, so anyone can register it.',
    }),
    missingName: z.string().meta({
      description: 'The name that does not exist: the target, or the end of the CNAMEs that it leads to.',
    }),
    since: moment.meta({ description: 'When a lookup first found that the name does not exist.' }),
    checkedAt: moment.meta({ description: 'When the last lookup found it again.' }),
  })
  .meta({ id: 'DanglingName', description: 'A record whose target does not exist.' });

export const danglingList = z
  .object({
    danglingNames: z.array(danglingName).meta({ description: 'The dangling names, in the order of their targets.' }),
    next,
  })
  .meta({ id: 'DanglingNameList', description: 'A page of dangling names.' });

export type DanglingName = z.infer<typeof danglingName>;
