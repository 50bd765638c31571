// Variables in the environment of knotd that are no settings of Zonestead.

/**
 * glibc gives each thread an arena of its own, and keeps freed memory in it. knotd has 20 threads: with a zone of 100,000 signed
 * records it takes 167 MB, and 147 MB with two arenas.
 */
export const KNOTD_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };
