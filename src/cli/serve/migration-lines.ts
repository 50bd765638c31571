// The plan of a migration, for people. Pure.
import { indexesToBuild, LOCK_EFFECTS, type MigrationPlan } from '#service/accounts/bootstrap.ts';

/** Longer statements are cut: the file of the migration has them whole. */
const MAX_WORDS = 90;

/** The lines of `zonestead migrate --plan`. */
export function planLines({ steps, refusal, rows }: MigrationPlan): string[] {
  if (refusal !== null) return [refusal];
  if (steps.length === 0) return ['no migration is missing'];
  const indexes = steps.flatMap(indexesToBuild).filter(({ table }) => rows.has(table));
  const first = indexes.map(({ statement }) => `  ${statement};`);
  return [
    ...(first.length === 0
      ? []
      : ['Before the upgrade, build these indexes, which then block no writer:', ...first, '']),
    ...steps.flatMap(({ tag, contract, statements }) => [
      `${tag}${contract === null ? '' : `, after which programs older than ${contract} do not work`}`,
      ...statements.flatMap(({ text, locks }) =>
        locks
          .filter(({ table }) => table === null || rows.has(table))
          .map(
            ({ table, mode }) =>
              `  ${mode} on ${table === null ? 'an unknown table' : `${table} (about ${rows.get(table)} rows)`}, ` +
              `${LOCK_EFFECTS[mode]}: ${firstWords(text)}`,
          ),
      ),
    ]),
    'Run zonestead migrate to apply them, in one transaction.',
  ];
}

function firstWords(text: string): string {
  const words = text
    .replace(/^--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
