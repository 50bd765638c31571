// The plan of an import as lines for people, and as data for programs. Pure.
import { costLine, type ImportCost } from './cost.ts';
import type { ImportPlan } from './plan.ts';
import type { FoundRecord, ReadZone, Remark } from './read.ts';
import { remarkLine } from './remarks.ts';

/** Lines of one kind that are shown without --dry-run; -o json has all. */
const SHOWN = 20;

export interface ZoneReport {
  zone: string;
  from: string;
  /**
   * `planned`: nothing was sent. `refused`: nothing was sent, because of the refused lines. `failed`: the service
   * refused.
   */
  outcome: 'imported' | 'planned' | 'refused' | 'failed';
  /** The record sets that have an owner from the registry of external-dns. */
  owned?: number;
  /** The price in the write window of the key. Absent: the key has no limit. */
  cost?: ImportCost;
  /** The reason of `failed`. */
  problem?: string;
  create: ReportedRecord[];
  update: ReportedRecord[];
  unchanged: number;
  skipped: Remark[];
  refused: Remark[];
  notes: Remark[];
}

interface ReportedRecord {
  place: string;
  name: string;
  type: string;
  /** In seconds; null for the default of the zone. */
  ttl: number | null;
  content: string;
}

export function buildZoneReport(read: ReadZone, plan: ImportPlan, outcome: ZoneReport['outcome']): ZoneReport {
  return {
    zone: read.zone,
    from: read.from,
    outcome,
    create: plan.create.map(shownRecord),
    update: plan.update.map(({ found }) => shownRecord(found)),
    unchanged: plan.unchanged.length,
    skipped: read.skipped,
    refused: [...read.refused, ...plan.conflicts],
    notes: read.notes,
  };
}

function shownRecord({ place, record: { name, type, ttl, content, priority } }: FoundRecord): ReportedRecord {
  return { place, name, type, ttl, content: priority === null ? content : `${priority} ${content}` };
}

/** @param all whether every line is shown. (Default: 20 of each kind.) */
export function reportLines(report: ZoneReport, all: boolean): string[] {
  const { zone, from, create, update, unchanged, skipped, refused, notes } = report;
  const record = ({ place, name, type, ttl, content }: ReportedRecord) =>
    `${[name, ...(ttl === null ? [] : [ttl]), type, shortened(content)].join(' ')} (${place})`;
  return [
    `${zone}, from ${from}:`,
    ...section('create', create.map(record), all),
    ...section('change', update.map(record), all),
    ...section('note', notes.map(remarkLine), all),
    ...section('skip', skipped.map(remarkLine), all),
    ...section('refuse', refused.map(remarkLine), true),
    `${zone}: ${create.length} to create, ${update.length} to change, ${unchanged} unchanged, ${skipped.length} skipped, ${refused.length} refused.`,
    ...closing(report),
  ];
}

function section(word: string, lines: readonly string[], all: boolean): string[] {
  const shown = all ? lines : lines.slice(0, SHOWN);
  const more = lines.length - shown.length;
  const rest = more === 0 ? [] : [`  ${word}  … and ${more} more; --dry-run shows all`];
  return [...shown.map((line) => `  ${word}  ${line}`), ...rest];
}

function closing({ zone, outcome, problem, create, update, cost, owned = 0 }: ZoneReport): string[] {
  switch (outcome) {
    case 'imported':
      return [
        create.length + update.length === 0 ? `${zone} has all of them.` : `${zone} is imported.`,
        ...(owned === 0 ? [] : [`${owned} record sets belong to external-dns.`]),
        `"zonestead delegation ${zone}" prints the next step of its move.`,
      ];
    case 'planned':
      return cost === undefined || cost.writes === 0 ? [] : [costLine(cost)];
    case 'refused':
      return [
        'Nothing is imported. Correct the refused lines, or omit them with --skip-unsupported or --skip-refused.',
      ];
    case 'failed':
      return [`${zone} is not imported: ${problem ?? ''}`];
  }
}

function shortened(content: string): string {
  return content.length > 80 ? `${content.slice(0, 80)}…`.toWellFormed() : content;
}
