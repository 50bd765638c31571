// The arguments and options that commands about records share.
import type { DnsRecord } from '#contract/record.ts';
import type { OptionDescription } from '../command.ts';
import type { DryRunOption } from '../options.ts';
import type { HealthOptions } from './health.ts';

export interface WriteOptions extends DryRunOption, HealthOptions {
  /** False after --no-ttl: the default of the zone. */
  ttl?: number | false;
  priority?: number;
  comment?: string;
}

export const NAME = {
  usage: '<name>',
  describe: 'name relative to the zone; "@" is the name of the zone itself',
} as const;
export const TYPE = { usage: '<type>', describe: 'record type, for instance A' } as const;
export const CONTENT = 'content in zone-file syntax; for MX, the priority may be first';
export const TTL = '--ttl <time>';
export const NO_TTL: OptionDescription = { flags: '--no-ttl', describe: 'use the default TTL of the zone' };
export const PRIORITY: OptionDescription = {
  flags: '--priority <number>',
  describe: 'priority of an MX record',
  value: 'number',
};
export const COMMENT = '--comment <text>';
export const IF_MATCH: OptionDescription = {
  flags: '--if-match <etag>',
  describe: 'do so only if the record still has this ETag, as "records list --etags" prints it',
};

/** The value of an MX record has its priority first, as in a zone file, or alone in an option. */
export function splitPriority(type: string, value: string): { content: string; priority?: number } {
  const [, preference, host] = type === 'MX' ? (/^(\d{1,5})[ \t]+(\S+)$/.exec(value) ?? []) : [];
  return host === undefined ? { content: value } : { content: host, priority: Number(preference) };
}

/** The service checks the type. */
export function typeOf(text: string): DnsRecord['type'] {
  return text.toUpperCase() as DnsRecord['type'];
}
