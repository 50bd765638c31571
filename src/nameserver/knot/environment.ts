// Variables in the environment of knotd that are not settings of Zonestead.

/**
 * glibc gives each thread an arena of its own, and keeps freed memory in it. knotd has 26 threads, and took 167 MB with
 * a zone of 100,000 signed records. Fewer arenas take less, but threads wait for each other: with two, changes of small
 * zones next to changes of such a zone take up to 100 ms instead of 25 ms (99 %).
 */
export const KNOTD_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '4' };
