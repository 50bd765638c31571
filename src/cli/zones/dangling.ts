// `zonestead zones dangling`: records whose target does not exist, of one zone or of all.
import { fetchDanglingNames } from '#client/lists.ts';
import type { DanglingName } from '#contract/dangling.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

export const dangling = describeRestCommand({
  name: 'dangling',
  describe: 'list the records whose target does not exist, so that others can take over their names',
  arguments: [{ ...ZONE, usage: '[zone]' }],
  examples: ['zonestead zones dangling', 'zonestead zones dangling shop.example -o json'],
  notes:
    'The api looks up each target of CNAME, MX, NS, SRV and ALIAS records about once a day. It lists a record after three lookups in a row, an hour apart, that found no such name.',
  run: (session, [zone]) => listDangling(session, zone),
});

const HEADING = ['ZONE', 'NAME', 'TYPE', 'TARGET', 'MISSING', 'SINCE'];

/** @throws Error if the API key cannot see the zone */
async function listDangling(session: Session, nameOrId: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const zone = nameOrId === undefined ? undefined : (await zoneOf(session, nameOrId)).id;
  const danglingNames = await fetchDanglingNames(client, { zone }, { signal });
  await show(session, { danglingNames }, () => {
    if (danglingNames.length === 0) return print('no record points to a name that is known not to exist');
    table(HEADING, danglingNames.map(rowOf), print);
    print('');
    print(
      'Delete or correct these records, or create the missing names: another person who creates one takes over the record.',
    );
  });
}

function rowOf({ zoneName, name, type, target, missing, missingName, since }: DanglingName): string[] {
  const what = missing === 'domain' ? `the domain of ${missingName}` : missingName;
  return [zoneName, name, type, target, what, since];
}
