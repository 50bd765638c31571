// The DNSSEC keys of a zone, and the roll to another key.
import { z } from 'zod';
import { moment } from './shared.ts';
import { keyAlgorithm, keyState } from './zone-key-forms.ts';

const keyTag = z.int().min(0).max(65_535).meta({ description: 'The tag of the key (RFC 4034 appendix B).' });

const zoneKey = z.object({
  keyTag,
  algorithm: keyAlgorithm,
  state: keyState,
  since: moment.meta({ description: 'When the key got this state.' }),
  createdAt: moment.meta({ description: 'When the service made or imported the key.' }),
  rollCancelledAt: moment.nullable().meta({
    description: 'When a roll that would have replaced the key was cancelled last. Null: none was.',
  }),
  dnskey: z.string().meta({ description: 'The RDATA of its DNSKEY record.' }),
});

const keyRoll = z
  .object({
    keyTag: keyTag.meta({ description: 'The tag of the key that comes, or that goes if none comes.' }),
    step: keyState,
    since: moment.meta({ description: 'When the step began.' }),
    waitsFor: z.string().meta({ description: 'The server and the value that the step waits for.' }),
    nextStepAt: moment.nullable().meta({
      description:
        'When the next step is taken, if all servers continue to show this one. Null: not all of them show it, and the roll waits until they do.',
    }),
    canCancel: z.boolean().meta({ description: 'Whether the roll can be cancelled: the other keys still sign.' }),
  })
  .meta({ description: 'A roll that is under way.' });

export const zoneKeys = z
  .object({
    keys: z.array(zoneKey).meta({ description: 'The keys, the oldest first.' }),
    roll: keyRoll.nullable().meta({ description: 'The roll that is under way; null: none is.' }),
  })
  .meta({
    id: 'ZoneKeys',
    description: 'The DNSSEC keys of a zone, without private ones, and the roll to another key.',
    examples: [
      {
        keys: [
          {
            keyTag: 20326,
            algorithm: 13,
            state: 'active',
            since: '2026-11-21T10:30:00.000Z',
            createdAt: '2026-11-21T10:30:00.000Z',
            rollCancelledAt: null,
            dnskey: '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
          },
        ],
        roll: null,
      },
    ],
  });
export type ZoneKeys = z.infer<typeof zoneKeys>;

export const keyRollBody = z
  .strictObject({
    algorithm: z.literal([13, 14, 15]).optional().meta({
      description: 'The algorithm of the new key: 13 is ECDSA P-256, 14 is ECDSA P-384, 15 is Ed25519. If omitted: 13.',
    }),
  })
  .meta({ id: 'KeyRollBegin', description: 'The new key.' });

export const dsConfirmBody = z
  .strictObject({
    dsTtl: z
      .int()
      .min(0)
      .max(604_800)
      .optional()
      .meta({ description: 'The TTL of the earlier DS records in seconds. If omitted: 86400.' }),
  })
  .meta({ id: 'DsConfirm', description: 'How long resolvers may keep the earlier DS records.' });
