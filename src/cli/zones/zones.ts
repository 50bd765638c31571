// `zonestead zones …`: zones, over the REST API. A zone is given by its name or its id.
import type { CommandGroup } from '../command.ts';
import { apply } from './apply.ts';
import { create, update } from './create.ts';
import { dangling } from './dangling.ts';
import { park, remove, unpark } from './delete.ts';
import { exportZone } from './export.ts';
import { keys } from './keys.ts';
import { ds, get, list } from './list.ts';
import { deleted, restore } from './restore.ts';
import { secondaries } from './secondaries.ts';
import { status } from './status.ts';

export const command: CommandGroup = {
  name: 'zones',
  describe: 'manage zones (over the REST API)',
  examples: ['zonestead zones create shop.example', 'zonestead zones list', 'zonestead zones status shop.example'],
  commands: [
    list,
    create,
    update,
    get,
    status,
    secondaries,
    dangling,
    keys,
    remove,
    deleted,
    park,
    unpark,
    exportZone,
    apply,
    restore,
    ds,
  ],
};
