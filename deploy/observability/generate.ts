// Writes charts/zonestead/files/dashboard.json: `node deploy/observability/generate.ts`.
import { writeFile } from 'node:fs/promises';
import { dashboardText } from './dashboard.ts';

await writeFile(new URL('../../charts/zonestead/files/dashboard.json', import.meta.url), dashboardText());
