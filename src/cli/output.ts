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

/** Prints the value as JSON or YAML, or calls `lines`, which prints the same for people. */
export async function show({ format, print }: Output, value: unknown, lines: () => void): Promise<void> {
  if (format === 'table') lines();
  else if (format === 'json') print(JSON.stringify(value, null, 2));
  else print((await import('#base/yaml.ts')).toYaml(value));
}

/** Prints the fields of an object for people. */
export function printFields(value: object, print: (line: string) => void): void {
  for (const [field, each] of Object.entries(value)) {
    print(`${field}: ${typeof each === 'string' ? each : JSON.stringify(each)}`);
  }
}
