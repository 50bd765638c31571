// The commands of the pages that end in another way than the others, and those that no test types.

/** Commands that the pages show to be refused: they end with another code than 0. Begins as written here. */
export const REFUSED = [`kubectl patch zdr mine-www --type merge -p '{"spec":{"content":"300`, 'npm run kind'];

/**
 * Searches of the pages that find nothing in an installation without errors. Begins as written here, after the words of
 * the log.
 */
export const FINDS_NOTHING = [`'"level":"error"'`, "'will not be repeated'"];

/** The commands that no test types, with the reason. Begins as written here. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'npm test': 'it is the run that would type it',
  'npm run test:full': 'it is the run that would type it, with everything',
  'npm run check': 'test/unit/support/runner/checks.test.ts runs the same programs',
  'node test/bench/': 'a measurement of minutes, which needs a machine for itself',
  'podman build': 'needs a container engine and a registry; npm run image, which needs neither, is typed',
  'acme.sh --issue': 'acme.sh is in no registry of packages; its two functions are called as it calls them',
};
