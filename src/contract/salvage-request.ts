// The request of an administrator for zones, or private keys, that the database lacks and name servers hold.
import { z } from 'zod';
import { zoneName } from './feed-forms.ts';

/** The most zones that a request for held zones names; the administrator's command sends one after the other. */
export const MAX_SALVAGED = 20;
export const salvageToken = z
  .string()
  .max(64)
  .meta({ description: 'The token of the request, from the answer to a report.' });

/** In the answer to a report. */
export const salvageRequest = z
  .object({
    token: salvageToken,
    zones: z.array(zoneName).max(MAX_SALVAGED).meta({ description: 'The names of the zones.' }),
    endings: z.boolean().meta({ description: 'Whether the node also sends the endings that it remembers.' }),
    keysOnly: z.boolean().meta({
      description: 'Whether the node sends only private keys, also of zones that a list of the feed has.',
    }),
  })
  .nullable()
  .meta({
    description:
      'An administrator brings back zones that the database lacks, or private keys that it cannot read: the node sends those that it holds, each once for a token.',
  });
