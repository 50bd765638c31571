// The settings of the site, which `npm run docs:build` reads from the environment.
import { z } from 'zod';

const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const FORMS = z.object({
  /** Path of the site at its host. */
  DOCS_BASE: z
    .string()
    .regex(/^\/(?:[\w.~-]+\/)*$/, 'must begin and end with /, for instance /zonestead/0.1/')
    .default('/'),
  /** Address of the repository at GitHub or a host with the same paths, for "Edit this page". Without, no such link. */
  DOCS_REPOSITORY: address.transform((text) => text.replace(/\/+$/, '')).optional(),
  /** Other versions of the site for its menu: NAME=ADDRESS, separated by blanks. */
  DOCS_VERSIONS: z
    .string()
    .default('')
    .transform((text) => text.split(/\s+/).filter((word) => word !== ''))
    .pipe(
      z.array(
        z
          .string()
          .regex(/^[^=]+=(?:https?:\/\/|\/)/, 'must be NAME=ADDRESS, for instance 0.1=https://docs.example.net/0.1/')
          .transform((word) => ({ text: word.slice(0, word.indexOf('=')), link: word.slice(word.indexOf('=') + 1) })),
      ),
    ),
});

export type SiteSettings = z.infer<typeof FORMS>;

/**
 * A variable that is empty counts as not set.
 * @throws Error that names every wrong setting, with the form that is accepted
 */
export function readSiteSettings(environment: Readonly<Record<string, string | undefined>>): SiteSettings {
  const given = Object.entries(environment).filter(([, text]) => text !== '');
  const read = FORMS.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`).join('\n'));
}
