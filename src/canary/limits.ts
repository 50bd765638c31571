// The limits of the canary that are not settings, in ms.

/** A challenge that takes longer has failed: certificate authorities and their clients give up, too. */
export const CHALLENGE_LIMIT_MS = 60_000;
/** Name servers and keys change rarely. */
export const ZONE_EVERY_MS = 60_000;
/** A bogus answer may be that of a new key. */
export const ZONE_AGAIN_MS = 5_000;
/** The longest pause between two writes that fail. */
export const MAX_BACK_OFF_MS = 60_000;
/** The records are removed within this time when the process stops. */
export const CLEAN_UP_MS = 5_000;
