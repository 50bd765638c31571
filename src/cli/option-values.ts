// Options of descriptions → options of commander, with the forms of their values.
import { InvalidArgumentError, Option } from 'commander';
import { parseTtlText } from '#dns/ttl-text.ts';
import type { OptionDescription } from './command.ts';

export function buildOption({
  flags,
  describe,
  default: preset,
  isRequired,
  choices,
  value,
}: OptionDescription): Option {
  const option = new Option(flags, value === 'list' ? `${describe} (can be repeated)` : describe);
  if (preset !== undefined) option.default(preset, preset === '' ? 'none' : undefined);
  if (isRequired) option.makeOptionMandatory();
  if (choices !== undefined) option.choices(choices);
  if (value === 'number') option.argParser(parseNumber);
  if (value === 'seconds') option.argParser(parseSeconds);
  if (value === 'fraction') option.argParser(parseFraction);
  if (value === 'list') option.argParser((text: string, before: string[] | false = []) => [...(before || []), text]);
  return option;
}

function parseNumber(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** @throws InvalidArgumentError for a text that is not a time, such as `1x` */
export function parseSeconds(text: string): number {
  const seconds = parseTtlText(text);
  if (seconds !== null && Number.isSafeInteger(seconds)) return seconds;
  throw new InvalidArgumentError(
    'It must be a whole number of seconds, or a time with units such as 90s, 5m, 1h30m or 1d.',
  );
}

/** @throws InvalidArgumentError for a text that is not a time */
export function parseFraction(text: string): number {
  const [, digits] = /^([0-9]{1,6}\.[0-9]{1,3})s?$/i.exec(text) ?? [];
  const seconds = digits === undefined ? parseTtlText(text) : Number(digits);
  if (seconds !== null && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds such as 0.5, or a time with units such as 30s or 5m.');
}
