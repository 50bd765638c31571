// Summarizes the values of a record in one short line for `kubectl get`, and its TTL.
import { MAX_CHECKED_TTL } from '#dns/members.ts';
import type { RecordSpec } from './dnsrecord.ts';

const MAX_LINE = 64;

interface RecordValue {
  readonly content: string;
  /** Null for every type except MX, for which the default is 10. */
  readonly priority: number | null;
}

/** The values of a spec from `content` or from `values`. */
export function listRecordValues(spec: Pick<RecordSpec, 'type' | 'content' | 'priority' | 'values'>): RecordValue[] {
  const specValues =
    spec.values ?? (spec.content === undefined ? [] : [{ content: spec.content, priority: spec.priority }]);
  return specValues.map(({ content, priority }) => ({
    content,
    priority: spec.type === 'MX' ? (priority ?? 10) : null,
  }));
}

/**
 * Returns for example `192.0.2.1`, `192.0.2.1,192.0.2.2` or `10 mail.example.org`: at most 64 characters, followed by
 * the number of values that are not shown, as in `192.0.2.1 +3`.
 */
export function summarizeValues(values: readonly RecordValue[]): string {
  const texts = values.map(({ content, priority }) => (priority === null ? content : `${priority} ${content}`));
  let line = '';
  for (const [index, text] of texts.entries()) {
    const longer = index === 0 ? text : `${line},${text}`;
    if (longer.length <= MAX_LINE) line = longer;
    else if (index === 0) return withMore(`${text.slice(0, MAX_LINE - 1).toWellFormed()}…`, texts.length - 1);
    else return withMore(line, texts.length - index);
  }
  return line;
}

function withMore(line: string, more: number): string {
  return more === 0 ? line : `${line} +${more}`;
}

/** The TTL of a DNSRecord. The service caps it while records have a health check or weights. */
export function summarizeTtl({ ttl, healthCheck, healthFrom, values = [] }: RecordSpec): string {
  const written = ttl === undefined ? 'that of the zone' : String(ttl);
  const isCapped = healthCheck !== undefined || healthFrom !== undefined || values.some(({ weight }) => weight);
  return isCapped ? `${written}, at most ${MAX_CHECKED_TTL} with a health check or weights` : written;
}
