// docs/reference/settings.md: every setting with its default, the commands that read it, and its description.
import { describeSettings, type SettingFacts } from '#config.ts';
import { type NamedCommand, readCommands } from './commands.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

/** The commands that read a setting; the commands of one group that all read it, as the group. */
export function listReaders(name: string, commands: readonly NamedCommand[]): string[] {
  const groups = Map.groupBy(commands, ({ path }) => path.split(' ')[0] ?? path);
  return [...groups].flatMap(([group, members]) => {
    const readers = members.filter(({ command }) => command.settings?.some((each) => each === name));
    return readers.length === members.length ? [group] : readers.map(({ path }) => path);
  });
}

function describeDefault({ default: text, otherwise, isRequired }: SettingFacts): string {
  if (isRequired) return 'required';
  if (text === null) return plain(otherwise ?? '');
  return text === '' ? 'empty' : code(text);
}

export async function settingsPage(): Promise<string> {
  const commands = await readCommands();
  const settings = describeSettings();
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => code(name));
  const rows = settings.map((setting) => [
    code(setting.name),
    setting.form,
    describeDefault(setting),
    listReaders(setting.name, commands).join(', '),
    plain(setting.description),
  ]);
  return page(
    'Settings',
    'This page lists the environment variables that the commands read. An empty variable counts as not set.',
    paragraph(
      `Secrets can come from a file: if ${secrets.slice(0, -1).join(', ')} or ${secrets.at(-1)} is not set, a command reads the file that the same name with \`_FILE\` names, for example \`DATABASE_URL_FILE\`. A process shuts down gracefully when such a file changes, so that it starts again with the new content. The file of ${code('ZONESTEAD_API_KEY')} is an exception: the process reads it again every few seconds and when the service refuses the key, so that it can hold a token that lives for minutes.`,
    ),
    table(['setting', 'form', 'default', 'read by', 'description'], rows),
  );
}
