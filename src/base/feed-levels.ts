// The levels of the lines of the feed, which nodes and apis of different versions compare.

/**
 * The level at which a node knows all kinds of this version. A change that adds a kind to a stream raises it by one,
 * and enters the kind in LINE_LEVELS with the new level.
 */
export const FEED_LEVEL = 1;

/** The least level of a node that knows the kind; every node knows a kind that is not listed. */
export type LineLevels = Readonly<Record<string, number>>;
export const LINE_LEVELS: LineLevels = {};
