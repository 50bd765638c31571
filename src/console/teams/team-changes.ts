// The changes of a team in words: `Created key "ci"`. Pure. Any version may have written the stored JSON, so the code
// does not trust its form.
import { clipText } from '../shell/shown.ts';

/** Another action, of a newer version, is shown as it is stored. */
const WORDS: Readonly<Record<string, string>> = {
  'key.mint': 'Created key',
  'key.change': 'Changed key',
  'key.revoke': 'Revoked key',
  'trust.create': 'Created trust',
  'trust.change': 'Changed trust',
  'trust.accept': 'Accepted another subject for trust',
  'trust.revoke': 'Revoked trust',
  'member.add': 'Added member',
  'member.change': 'Changed the role of',
  'member.remove': 'Removed member',
  'invitation.create': 'Invited',
  'invitation.decline': 'Declined the invitation of',
  'invitation.revoke': 'Withdrew the invitation of',
  'team.create': 'Created the team',
  'team.rename': 'Renamed the team to',
  'team.quota': 'Changed the quota',
  'team.bind': 'Bound the team to a group',
  'name.release': 'Released the name',
  'check.put': 'Wrote check',
  'check.delete': 'Deleted check',
  'check.pin': 'Pinned address of check',
  'check.unpin': 'Ended the pin of check',
  'check.signal': 'Signalled the state of check',
  'cluster.drain': 'Drained cluster',
  'cluster.restore': 'Restored cluster',
  'cluster.release': 'Released cluster',
  'cluster.remove': 'Removed cluster',
};
/** The words say it all. */
const WITHOUT_NAME = ['team.quota', 'team.bind'];

interface TeamChange {
  readonly action: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface DescribedChange {
  readonly words: string;
  /** The name of the key, the address of the person, and the like. Without a known name, the id. Null: none. */
  readonly name: string | null;
}

/** @param names the names of keys and the addresses of members by id */
export function describeTeamChange(change: TeamChange, names: ReadonlyMap<string, string>): DescribedChange {
  const { action, subject, before, after } = change;
  const words = WORDS[action] ?? action;
  if (WITHOUT_NAME.includes(action)) return { words, name: null };
  const name = textIn(after) ?? names.get(subject) ?? textIn(before) ?? subject;
  return { words, name: clipText(name) };
}

function textIn(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { name, email } = value as Record<string, unknown>;
  return [name, email].find((text): text is string => typeof text === 'string' && text !== '');
}
