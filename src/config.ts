// The only reader of the environment: a command names the settings that it needs and gets them parsed, or one message
// that names every wrong one. A secret can come from a file (NAME_FILE), as Kubernetes mounts it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DATABASE_PROTECTION_SETTINGS, protectedDatabaseUrl } from '#base/postgres-settings.ts';
import type { Setting } from '#settings/setting.ts';
import { SETTINGS } from '#settings/settings.ts';

export type { HostPort } from '#settings/forms.ts';
export { octets } from '#settings/forms.ts';

export type SettingName = keyof typeof SETTINGS;
export type Config<Name extends SettingName> = {
  [K in Name]: (typeof SETTINGS)[K] extends Setting<infer Value> ? Value : never;
};

export interface SettingFacts {
  readonly name: SettingName;
  readonly description: string;
  /** The form of the value, for instance "host:port". */
  readonly form: string;
  /** The default as you would write it in the environment; null when there is none. */
  readonly default: string | null;
  /** The behavior without a value, in words; null for a setting that is required or has a default. */
  readonly otherwise: string | null;
  readonly isRequired: boolean;
  /** Whether NAME_FILE can name a file with the value. */
  readonly isSecret: boolean;
}

/** The facts that help and reference print, in the order of the table. */
export function describeSettings(names: readonly SettingName[] = SETTING_NAMES): SettingFacts[] {
  return names.map((name) => {
    const { description, form, default: preset, otherwise, isRequired, isSecret }: Setting<unknown> = SETTINGS[name];
    return {
      name,
      description,
      form: form.label,
      default: preset ?? null,
      otherwise: otherwise ?? null,
      isRequired,
      isSecret,
    };
  });
}

const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/**
 * The settings of these names. A variable that is empty counts as not set. DATABASE_URL has the options of TLS that the
 * other settings of the database add to it.
 * @throws Error that names each missing or wrong setting
 */
export function readConfig<Name extends SettingName>(
  names: readonly Name[],
  environment: NodeJS.ProcessEnv = process.env,
): Config<Name> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of names) {
    const { form, default: preset, isRequired, isFollowed }: Setting<unknown> = SETTINGS[name];
    let text: string | undefined;
    try {
      text = readText(name, environment) ?? preset;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.push(`${name}_FILE: ${environment[`${name}_FILE`]} cannot be read (${code})`);
      continue;
    }
    if (text === undefined) {
      values[name] = undefined;
      const file = findSecretFile(name, environment);
      if (isRequired) problems.push(file === undefined ? `${name} is missing` : `${name}_FILE: ${file} is empty`);
      continue;
    }
    const parsed = form.schema.safeParse(text);
    const file = isFollowed ? findSecretFile(name, environment) : undefined;
    if (parsed.success) values[name] = file === undefined ? parsed.data : { file };
    else problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  // A command that forgot the other settings of the database would connect without them.
  if (typeof values.DATABASE_URL === 'string') {
    const isRead = DATABASE_PROTECTION_SETTINGS.every((name) => name in values);
    const protectionSettings = isRead ? values : readConfig(DATABASE_PROTECTION_SETTINGS, environment);
    const complete = protectedDatabaseUrl(values.DATABASE_URL, protectionSettings);
    if (complete.ok) values.DATABASE_URL = complete.value;
    else problems.push(`DATABASE_URL: ${complete.problem}`);
  }
  if (problems.length > 0) throw new Error(`Invalid settings: ${problems.join('. ')}.`);
  return values as Config<Name>;
}

/** Whether the environment has the setting or names a file for it. */
export function isSet(name: SettingName, environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]);
}

/** The whole environment, for a hook of an ACME client: the client's own variables are not settings of Zonestead. */
export function readHookEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return process.env;
}

/**
 * The whole environment, for a program that takes the place of this one.
 * @param defaults variables that it has in addition
 */
export function environmentWith(defaults: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...defaults, ...process.env };
}

/** The folder of this program for the files of a person (XDG Base Directory Specification, XDG_CONFIG_HOME). */
export function configFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'zonestead');
}

/**
 * The whole environment with another access to the REST API. No setting of the process for it stays, so that a key is
 * never sent to another service.
 */
export function environmentWithAccess({ url, caFile, key }: { url: string; caFile?: string; key: string }) {
  const { ZONESTEAD_URL_CA: _caFile, ZONESTEAD_API_KEY_FILE: _keyFile, ...others } = process.env;
  const authorities = caFile === undefined ? {} : { ZONESTEAD_URL_CA: caFile };
  return { ...others, ZONESTEAD_URL: url, ZONESTEAD_API_KEY: key, ...authorities };
}

/**
 * The files that secrets were read from, with their contents. A process reads them only when it starts, so it must
 * restart after a change. The files that it reads again are not among them.
 */
export function secretFiles(environment: NodeJS.ProcessEnv = process.env): ReadonlyMap<string, string> {
  const files = SETTING_NAMES.filter((name) => !SETTINGS[name].isFollowed).flatMap(
    (name) => findSecretFile(name, environment) ?? [],
  );
  return new Map(files.map((file) => [file, readSecret(file)]));
}

/** @throws Error of the file system */
function readSecret(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

function readText(name: SettingName, environment: NodeJS.ProcessEnv): string | undefined {
  const file = findSecretFile(name, environment);
  return (file === undefined ? environment[name] : readSecret(file)) || undefined;
}

/** The file that the value of a secret is read from; undefined if the setting itself has the value. */
function findSecretFile(name: SettingName, environment: NodeJS.ProcessEnv): string | undefined {
  if (!SETTINGS[name].isSecret || environment[name] !== undefined) return undefined;
  return environment[`${name}_FILE`];
}
