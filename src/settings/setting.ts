// One setting as data: its form, its default and the sentences that help and reference print.
import type { Form } from './forms.ts';

export interface Setting<T> {
  readonly form: Form<unknown>;
  /** Complete sentences for help and reference. */
  readonly description: string;
  /** The text that applies when the environment has none. */
  readonly default?: string;
  /** The behavior without a value, in words, for a setting that has no default text. */
  readonly otherwise?: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Whether the process reads the file of the secret again while it runs; it does not restart then. */
  readonly isFollowed: boolean;
  /** Only for the type checker: the type of the parsed value. */
  readonly value?: T;
}

/** A command that reads it does not start without it. */
export function required<T>(form: Form<T>, description: string): Setting<T> {
  return { form, description, isRequired: true, isSecret: false, isFollowed: false };
}

/** @param text the default as you would write it in the environment; '' is the empty list or the empty text */
export function preset<T>(form: Form<T>, text: string, description: string): Setting<T> {
  return { form, description, default: text, isRequired: false, isSecret: false, isFollowed: false };
}

/** @param otherwise the behavior without a value, for the column "Default" of the reference */
export function optional<T>(form: Form<T>, otherwise: string, description: string): Setting<T | undefined> {
  return { form, description, otherwise, isRequired: false, isSecret: false, isFollowed: false };
}

/** A file named by NAME_FILE is read when NAME is not set. */
export function secret<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, isSecret: true };
}

/** The value is in a file that changes, so the user of the setting reads the file. */
export interface InFile {
  readonly file: string;
}

/** A secret whose file the process reads again, because its content lives for minutes only. */
export function followedSecret<T>(setting: Setting<T>): Setting<T | InFile> {
  return { ...secret(setting), isFollowed: true } as Setting<T | InFile>;
}
