// How Node finds the modules of drizzle-orm: for every file that one imports from another Node parses the package's package.json
// anew, 180 kB and two milliseconds for each of some hundred files, which was half the start of the api. It must not know who
// imports them.
import { type ResolveHookContext, type ResolveHookSync, registerHooks } from 'node:module';

const RELATIVE = /^\.\.?\/.*\.js$/;
const WITHIN = /\/node_modules\/drizzle-orm\/.*\.js$/;

/**
 * A file that another one names relative to itself is where it says, and an ES module as well (RFC 3986 section 5.2;
 * nodejs.org/api/esm.html, "Resolution Algorithm"). All else is Node's to find.
 */
export const resolveDrizzle: ResolveHookSync = (specifier, context, nextResolve) => {
  if (!isWithin(specifier, context)) return nextResolve(specifier, context);
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
};

function isWithin(specifier: string, { parentURL = '' }: ResolveHookContext): boolean {
  return RELATIVE.test(specifier) && WITHIN.test(parentURL);
}

/** For this process; to be called before drizzle-orm is imported. */
export function hastenImports(): void {
  registerHooks({ resolve: resolveDrizzle });
}
