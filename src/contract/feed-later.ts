// Lines of the feed that a later version of the api may send, and this version does not know.
import { z } from 'zod';
import { cursor, zoneId, zoneName } from './feed-forms.ts';

/** A line of a kind that this version does not know. */
export const laterLine = z.object({
  kind: z.string().min(1).max(100),
  /** Whether a node that does not know the kind loses nothing. */
  skippable: z.boolean().default(false),
  id: zoneId.optional(),
  name: zoneName.optional(),
  cursor: cursor.optional(),
});
export type LaterLine = { readonly kind: 'later'; readonly line: z.infer<typeof laterLine> };
