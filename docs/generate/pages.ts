// The generated pages, each with the function that makes its text. To add a page, add a row.
import { BADGES, drawBadge } from './badges.ts';
import { commandsPage } from './commands.ts';
import { conditionsPage } from './conditions.ts';
import { errorsPage } from './errors.ts';
import { helmValuesPage } from './helm-values.ts';
import { metricsPage } from './metrics.ts';
import { formatOpenApi, formatRest, OPENAPI_FILE, REST_FILE, readOpenApi } from './openapi.ts';
import { outlinesFile } from './outlines.ts';
import { recordTypesPage } from './record-types.ts';
import { recordPage, zonePage } from './resources.ts';
import { SESSION_FILE, sessionPicture } from './session.ts';
import { settingsPage } from './settings.ts';

/** By path below the root of the project. */
export const GENERATED: Readonly<Record<string, () => Promise<string> | string>> = {
  'docs/reference/cli.md': commandsPage,
  'docs/reference/conditions.md': conditionsPage,
  'docs/reference/dnsrecord.md': recordPage,
  'docs/reference/dnszone.md': zonePage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/helm-values.md': helmValuesPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/record-types.md': recordTypesPage,
  'docs/reference/settings.md': settingsPage,
  [SESSION_FILE]: sessionPicture,
  ...Object.fromEntries(Object.entries(BADGES).map(([path, read]) => [path, async () => drawBadge(await read())])),
  'src/cli/completion/outlines.ts': outlinesFile,
  [OPENAPI_FILE]: async () => formatOpenApi(await readOpenApi()),
  [REST_FILE]: async () => formatRest(await readOpenApi()),
};
