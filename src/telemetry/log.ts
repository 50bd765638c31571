// The logger of every process: JSON lines, no credentials. It must not know which room logs or what the lines mean.
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

/** A pino logger; use `child` to add fields for a run or a request. */
export type Logger = PinoLogger;

export interface LoggerOptions {
  /** Which process this is, for instance `operator`. */
  readonly name: string;
  /** (Default: `info`.) `silent` writes nothing. */
  readonly level?: string;
  /** Where lines go. (Default: standard output.) */
  readonly destination?: DestinationStream;
}

const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'apiKey',
  'token',
  'secret',
  'password',
  'privateKey',
  'cookie',
  'headers.authorization',
  'headers.Authorization',
  'headers.cookie',
];

// Paths name fields only; a key pasted into a message or an error text needs the second net below.
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(y[ku]_[A-Za-z0-9]+_)[A-Za-z0-9_-]+/g, '$1[redacted]'],
  [/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]+/g, '$1 [redacted]'],
  [/:\/\/([^/\s:@"]+):[^/\s@"]+@/g, '://$1:[redacted]@'],
];

/** The line with keys, bearer tokens and passwords in addresses taken out. Pure. */
export function redactText(line: string): string {
  let result = line;
  for (const [pattern, replacement] of SECRET_TEXTS) result = result.replace(pattern, replacement);
  return result;
}

/** Makes the process' logger. Fields named like secrets and texts that look like keys never reach the destination. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level ?? 'info',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    hooks: { streamWrite: redactText },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
