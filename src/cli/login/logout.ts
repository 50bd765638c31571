// `zonestead logout`: forgets the key of a login. The service still accepts the key.
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'logout',
  describe: 'delete the key of a login on this machine',
  arguments: [{ usage: '[context]', describe: 'name of the login (default: the current one)' }],
  notes: 'The service still accepts the key. To end it, revoke it in the console, or with "zonestead keys revoke".',
  examples: ['zonestead logout', 'zonestead logout prod'],
  run: async ([given], _options, { print }) => {
    const { loginNamed, readLogins, writeLogins } = await import('./store.ts');
    const logins = await readLogins();
    const name = given ?? logins.current;
    if (name === null)
      throw new Error('there is no current context; "zonestead contexts list" lists those that you can name');
    const { url } = loginNamed(logins, name);
    const { [name]: _gone, ...contexts } = logins.contexts;
    await writeLogins({ current: logins.current === name ? null : logins.current, contexts });
    print(
      `You are logged out of ${url}: the key of the context ${name} is deleted here. The service still accepts it.`,
    );
  },
});
