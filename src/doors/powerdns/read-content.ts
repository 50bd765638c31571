// The contents of records in the PowerDNS API: RDATA as in a zone file, with all names absolute. Pure.
import type { RecordInput } from '#dns/record.ts';
import { clip } from '#dns/verdict.ts';
import { refused } from './read-fields.ts';

/** The place of the host name among the words of a content; the last one is -1. */
const HOST_AT: Readonly<Record<string, number>> = {
  ALIAS: 0,
  CNAME: 0,
  DNAME: 0,
  NS: 0,
  PTR: 0,
  MX: 1,
  SVCB: 1,
  HTTPS: 1,
  SRV: 3,
  NAPTR: -1,
};

/**
 * The content and the priority as the service takes them.
 * @throws Refusal if a host name is not absolute: PowerDNS refuses it too, because its meaning is not clear
 */
export function readContent(type: string, text: string): Pick<RecordInput, 'content' | 'priority'> {
  const words = text.trim().split(/[ \t]+/);
  const at = HOST_AT[type];
  const host = at === undefined ? undefined : words.at(at);
  if (host !== undefined && !host.endsWith('.')) {
    throw refused(
      `The content ${clip(text)} of type ${type} needs absolute host names: write ${clip(`${host}.`)}, with a final dot.`,
    );
  }
  // PowerDNS reads an empty content as one empty string.
  if (type === 'TXT' && text.trim() === '') return { content: '""' };
  if (type !== 'MX') return { content: text };
  const [priority = '', exchange, ...others] = words;
  if (exchange === undefined || others.length > 0 || !/^[0-9]{1,5}$/.test(priority)) {
    throw refused(`The content ${clip(text)} of type MX must be a preference and a host name: "10 mail.example.org.".`);
  }
  return { content: exchange, priority: Number(priority) };
}
