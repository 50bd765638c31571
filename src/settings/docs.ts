// The setting that says where the documentation is.
import { httpUrl } from './forms.ts';
import { optional } from './setting.ts';

export const DOCS_SETTINGS = {
  ZONESTEAD_DOCS_URL: optional(
    httpUrl,
    'no links; help names the files of a checkout',
    'The documentation is at this address, for instance https://docs.example.net/0.1/. Refusals over HTTP, the console and help link to its pages. The project has no public site: "npm run docs:build" makes one.',
  ),
};
