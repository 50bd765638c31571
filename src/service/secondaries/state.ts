// The state of a secondary for one zone, from the last report of the source of transfers. Pure.
import { MAX_BEHIND } from '#dns/secondaries/follow.ts';
import type { SecondaryOfZone, SecondaryReportOfZone } from '#store/secondary-offers.ts';
import { GENERAL_TEXT, textForOwner } from '../nodes/owner-text.ts';

/** `zoneSecondary` of the contract. */
export interface SecondaryView extends Judged {
  name: string;
  nameservers: string[];
  listedBy: 'administrator' | 'owner' | 'all';
  chosen: boolean;
}

interface Judged {
  state: 'current' | 'behind' | 'silent' | 'unknown';
  serial?: number;
  since?: string;
  reason?: string;
}

export function secondaryView(secondary: SecondaryOfZone, zoneName: string): SecondaryView {
  const { name, nameservers, allZones, byAdministrator, byOwner, report } = secondary;
  const listedBy = allZones ? 'all' : byAdministrator ? 'administrator' : 'owner';
  return { name, nameservers, listedBy, chosen: byOwner, ...judge(report, zoneName) };
}

function judge(report: SecondaryReportOfZone | null, zoneName: string): Judged {
  if (report === null) return { state: 'unknown', reason: 'no name server has reported about it yet' };
  const { lag } = report;
  if (!report.isFresh) {
    const reason = 'the name server that it transfers from has not reported about it for 30 seconds';
    return { state: 'unknown', since: isoOf(report.at), reason };
  }
  const since = lag === null ? {} : { since: lag.since };
  if (report.silent !== null) return { state: 'silent', ...since, reason: 'one of its addresses does not answer' };
  if (lag !== null)
    return {
      state: 'behind',
      ...(lag.serial === undefined ? {} : { serial: lag.serial }),
      ...since,
      reason: lagText(lag, zoneName),
    };
  // The list is full, so the zone may be behind without an entry.
  if (report.listed >= MAX_BEHIND) {
    const reason = `${MAX_BEHIND} or more of its zones are behind, and the report does not name all of them`;
    return { state: 'unknown', since: isoOf(report.at), reason };
  }
  if (report.isNew) return { state: 'behind', reason: 'the zone was listed for it a moment ago' };
  if (report.hasLastChange) return { state: 'current' };
  return { state: 'behind', reason: 'the last report about it was made before the last change of the zone' };
}

function lagText({ state, reason }: NonNullable<SecondaryReportOfZone['lag']>, zoneName: string): string {
  if (state === 'behind') return 'it has an older version of the zone';
  if (state === 'ahead')
    return 'it has a later serial than the name server that it transfers from, and ignores it until that changes';
  // The text comes from a name server, and may name addresses.
  const text = textForOwner(reason ?? 'it does not serve the zone', zoneName);
  return text === GENERAL_TEXT ? 'it does not answer' : `it ${text}`.replace(/^it it /, 'it ');
}

/** A time as Postgres writes it. */
function isoOf(time: string): string {
  return new Date(time).toISOString();
}
