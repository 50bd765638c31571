// The logger of every process: JSON lines without credentials.
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

/** A pino logger; use `child` to add fields for a run or a request. */
export type Logger = PinoLogger;

interface LoggerOptions {
  /** The process, for instance `operator`. */
  readonly name: string;
  /** (Default: `info`.) `silent` writes nothing. */
  readonly level?: string;
  /** The destination of the lines. (Default: standard output.) */
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

// Paths name fields only; the patterns below find a key inside a message or an error text.
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(y[a-z]_[A-Za-z0-9]+_)[A-Za-z0-9_-]+/g, '$1[redacted]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]'],
  [/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]+/g, '$1 [redacted]'],
  [/:\/\/([^/\s:@"]+):[^/\s@"]+@/g, '://$1:[redacted]@'],
];

/** The line without keys, bearer tokens and passwords in addresses. Pure. */
export function redactText(line: string): string {
  let result = line;
  for (const [pattern, replacement] of SECRET_TEXTS) result = result.replace(pattern, replacement);
  return result;
}

/**
 * Makes the process' logger. Fields with names of secrets and texts that look like keys never reach the destination.
 */
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
