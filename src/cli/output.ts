// The formats in which commands print their results: a table for people, JSON and YAML for programs.
import type { OptionDescription } from './command.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;

export type OutputFormat = (typeof FORMATS)[number];

export interface OutputOption {
  output: OutputFormat;
}

export const OUTPUT_OPTION: OptionDescription = {
  flags: '-o, --output <format>',
  describe: 'format of the output',
  choices: FORMATS,
  default: 'table',
};

/** The output of one command. */
export interface Output {
  readonly format: OutputFormat;
  print(line: string): void;
}

/** kubectl reads YAML 1.1, so texts that YAML 1.1 takes for a time or a boolean are quoted. Lines are not folded. */
export const YAML_OPTIONS = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Prints the value as JSON or YAML, or calls `lines`, which prints the same for people. */
export async function show({ format, print }: Output, value: unknown, lines: () => void): Promise<void> {
  if (format === 'table') lines();
  else if (format === 'json') print(JSON.stringify(value, null, 2));
  else {
    const { stringify } = await import('yaml');
    // YAML has no undefined and no dates of its own: both formats print the same.
    print(stringify(JSON.parse(JSON.stringify(value)), YAML_OPTIONS).trimEnd());
  }
}
