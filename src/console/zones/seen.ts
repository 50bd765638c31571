// The state of a zone that a person saw when the page that deletes it was opened (shell/seen.ts). Pure.
import { zoneTag } from '#service/conditions/tags.ts';
import type { ManagedZone } from '#service/zones/view.ts';
import { type Differing, differingValues, type Seen, type Values } from '../shell/seen.ts';
import { clipText } from '../shell/shown.ts';

/** The text of the hidden field `seen`. */
export function seenZoneText(zone: ManagedZone): string {
  return JSON.stringify({ id: zone.id, etag: zoneTag(zone), values: pickShownValues(zone) } satisfies Seen);
}

export function differingZone(seenZone: Seen, zone: ManagedZone): Differing[] {
  return differingValues(seenZone, pickShownValues(zone), null);
}

function pickShownValues({ state, records, defaultTtl, denial, comment, serial, updatedAt }: ManagedZone): Values {
  return {
    State: state,
    Records: records?.toLocaleString('en') ?? '',
    'Default TTL': String(defaultTtl),
    'Denial of names': denial,
    Comment: clipText(comment ?? ''),
    Serial: String(serial),
    'Last change': `${updatedAt.slice(0, 19).replace('T', ' ')} UTC`,
  };
}
