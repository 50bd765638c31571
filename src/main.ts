// The program `zonestead`: one of the commands of src/cli.
import { COMMANDS } from '#cli/all-commands.ts';
import { runZonestead } from '#cli/process.ts';

await runZonestead(COMMANDS);
