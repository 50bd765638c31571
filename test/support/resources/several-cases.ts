// DNSRecords that break several rules. A user gets all messages at once, also those about the same field.
import type { ResourceCase } from './resource-case.ts';

const refused = (title: string, spec: Record<string, unknown>, message: RegExp): ResourceCase => ({
  title,
  kind: 'DNSRecord',
  spec: { zoneRef: { name: 'example' }, name: 'www', ...spec },
  refused: message,
});

export const SEVERAL: readonly ResourceCase[] = [
  refused(
    'a priority that is neither accepted nor next to content',
    { type: 'A', priority: 10, values: [{ content: '192.0.2.1' }] },
    /only type MX accepts a priority: remove it[\s\S]*set priority together with content/,
  ),
  refused(
    'CNAME with two values, of which one is bad',
    { type: 'CNAME', values: [{ content: 'a.example.net' }, { content: '192.0.2.1' }] },
    /exactly one value: remove all other values[\s\S]*each content of type CNAME must be a host name/,
  ),
  refused(
    'CNAME at the apex with a bad content',
    { type: 'CNAME', name: '@', content: '192.0.2.1' },
    /use type ALIAS[\s\S]*content of type CNAME/,
  ),
  refused(
    'everything wrong with its values at once',
    {
      type: 'ALIAS',
      values: [
        { content: 'a b', priority: 1 },
        { content: 'a b', priority: 1 },
      ],
    },
    /remove all other values[\s\S]*remove it from the values[\s\S]*each content of type ALIAS/,
  ),
  refused('an unknown type, whose content no rule can judge', { type: 'SPF', content: 'a\nb' }, /type/),
];
