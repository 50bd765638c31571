// The share of a volume that each database of knotd may take. knotd writes through memory maps, so a full volume ends
// it with SIGBUS; a database that reaches its limit refuses one change instead. Pure.

const MIB = 1024 * 1024;

/** The smallest volume: below it, an LMDB database of each kind and a zone of some size do not fit. */
const MIN_DISK_MIB = 64;
/** Without a size: Knot's defaults, which only limit memory maps. */
const UNLIMITED_MIB = 20_000;
/** The journal holds each zone as a whole: 100,000 signed records take 36 MB. */
const MAX_ZONE_MIB = 1_024;

export interface DiskPlan {
  /** All zones with their histories. */
  readonly journalMiB: number;
  /** One zone with its history; Knot merges the history when it is exceeded. */
  readonly zoneMiB: number;
  /** Keys; about 4 KiB for each zone. Null: Knot's default. */
  readonly keysMiB: number | null;
  /** Null: Knot's default. */
  readonly timersMiB: number | null;
  /** The members of catalogs. Null: Knot's default. */
  readonly catalogMiB: number | null;
}

/**
 * A tenth stays for the configuration, the notes of the node, and files of large changes.
 * @param bytes the size of the volume; undefined: unknown
 * @throws Error if it is too small
 */
export function diskPlan(bytes: number | undefined): DiskPlan {
  if (bytes === undefined) {
    return { journalMiB: UNLIMITED_MIB, zoneMiB: MAX_ZONE_MIB, keysMiB: null, timersMiB: null, catalogMiB: null };
  }
  const size = Math.floor(bytes / MIB);
  if (size < MIN_DISK_MIB) {
    throw new Error(`the volume of Knot DNS has ${size} MiB; it must have at least ${MIN_DISK_MIB} MiB`);
  }
  const share = (percent: number) => Math.max(1, Math.floor((size * percent) / 100));
  const journalMiB = share(70);
  return {
    journalMiB,
    zoneMiB: Math.min(MAX_ZONE_MIB, Math.floor(journalMiB / 2)),
    keysMiB: share(10),
    timersMiB: share(5),
    catalogMiB: share(5),
  };
}
