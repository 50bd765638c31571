// Each rule of plain English at sentences that it must find, and at good sentences of the same words that it must not
// find.
import { expect, test } from 'vitest';
import { RULES } from '../../prose/rules.ts';
import { check } from '../../prose/sentences.ts';

/** The names of the rules that find something in a sentence. */
function found(text: string): string[] {
  return check(text, [{ offset: 0, text, begins: true }], RULES).map(({ rule }) => rule.name);
}

const FOUND: ReadonlyArray<readonly [rule: string, text: string]> = [
  ['headless-start', 'What waits is woken.'],
  ['headless-start', 'who ticks it'],
  ['headless-start', 'Whose it is, the service says.'],
  ['headless-start', 'That which is stored stays.'],
  ['headless-start', 'The zone is new. What it holds is not.'],
  ['of-start', 'Of each instance'],
  ['of-start', 'of one that is refused'],
  ['headless-clause', 'The key is old; who holds it may write.'],
  ['headless-clause', 'The form is checked: what needs the zone is a condition.'],
  ['headless-clause', 'It is changed only by who ticks the box.'],
  ['headless-clause', 'The record goes when who made it goes.'],
  ['headless-what', 'The operator repeats what it sent.'],
  ['headless-what', 'The cache has what the server sent.'],
  ['headless-what', 'A queue of what is left.'],
  ['whoever', 'It tells whoever asks.'],
  ['condition-without-if', 'Was the password changed, update its Secret.'],
  ['must-not-know', 'It must not know any kind.'],
  ['must-not-know', 'It knows nothing of DNS.'],
  ['for-good', 'The key ends for good.'],
  ['stop-to', 'Names stop to resolve.'],
  ['by-commas', 'Zones, separated by commas'],
  ['stands', 'A CNAME stands at this name.'],
  ['stands', 'No other record may stand at this name.'],
  ['all-the-same', 'Records can be edited all the same.'],
  ['beside', 'A CNAME is beside other records.'],
  ['mend', 'No retry mends it.'],
  ['mint', 'A key that a member minted.'],
  ['anew', 'It starts anew.'],
  ['seldom', 'It is seldom meant.'],
  ['spelt', 'The name is spelt so.'],
  ['shall', 'The values that shall be served.'],
  ['archaic', 'Wait till it ends.'],
  ['tell-of', 'Events tell of transitions.'],
  ['is-over', 'The key is over.'],
  ['to-come', 'Name a moment to come.'],
  ['coined-word', 'It waits until its patience ends.'],
  ['whatever', 'It is stopped whatever happens.'],
  ['must-not-know', 'The callers are not known here.'],
  ['goes-on', 'The old version goes on with its work.'],
  ['goes', 'The record goes when the namespace is deleted.'],
  ['left-out', 'Undefined values are left out.'],
  ['take-away', 'It takes away the right.'],
  ['is-no', 'The text is no address.'],
  ['is-no', 'An owner that is\nno secret may be shown.'],
  ['no-default', 'The owner of those records. (Default: another reason.)'],
  ['no-default', '(Default: none.)'],
  ['no-default', 'The serial that the zone must have (Default: any.)'],
  ['no-default', 'Only one namespace. (Default: all.)'],
  ['no-default', 'A TTL. (Default: the TTL stays.)'],
  ['nobody', 'Nobody waits for the outcome.'],
  ['nobody', 'Another value, if somebody else changed it.'],
  ['nobody', 'A trust for everybody with a token.'],
  ['nobody', 'The zone of anybody else.'],
  ['without-a-word', 'A connection that ended without a word.'],
  ['ends-in-order', 'A process whose Secret changes ends in order.'],
  ['suffer', 'A CNAME suffers no neighbor.'],
  ['cannot-be-had', 'The lease cannot be had.'],
  ['is-away', 'The answer while the database is away.'],
  ['replace-by', 'Replace the NS records by those of this service.'],
  ['for-so-long', 'A node that was silent for so long.'],
  ['of-others', 'A secondary is a name server of others.'],
  ['go-and-come', 'It shows the lines that go and come.'],
  ['ends-by-itself', 'The operator continues by itself.'],
];

test.each(FOUND)('a rule finds %s in "%s"', (rule, text) => {
  expect(found(text)).toContain(rule);
});

test('a rule finds a form over the end of a line', () => {
  expect(found('The key ends for\ngood.')).toEqual(['for-good']);
});

test('a rule finds something in this table, by every name', () => {
  expect(new Set(FOUND.map(([name]) => name))).toEqual(new Set(RULES.map(({ name }) => name)));
});

test.each([
  ['What is Zonestead?'],
  ['The message says what is wrong and what to do.'],
  ['The table lists who may write.'],
  ['A user who owns the zone may delete it.'],
  ['A zone whose parent has no DS is insecure.'],
  ['The operator decides what to delete.'],
  ['Of course the zone is signed.'],
  ['RRSIG stands for resource record signature.'],
  ['A standby takes over.'],
  ['It depends on what kind of record it is.'],
  ['Is the zone signed, and by whom?'],
  ['The value is over 255 octets long.'],
  ['The record goes to the end of the queue.'],
  ['There is no zone of this name, there may be no race, and a wait is no longer than 10 s.'],
  ['The name has no records, and the text is not an address.'],
  ['The delay. (Default: 10 s.)'],
  ['Whether it waits. (Default: false.)'],
  ['The server. (Default: the first one of the list.)'],
  ['The zones to read. (Default: all zones.)'],
  ['The body of the request has no body of its own.'],
  ['It stops in order to release the lease, and the list is in order.'],
  ['Run zonestead admin keys mint to create a key.'],
  ['The value is replaced by a newer one, and the process is 10 s away from its end.'],
  ['The machine was busy for so long that requests timed out. The records of others stay.'],
  ['The process ended by itself, and each node counts by itself.'],
])('no rule finds anything in %s', (text) => {
  expect(found(text)).toEqual([]);
});
