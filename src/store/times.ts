// Times between JavaScript and SQL.

/** A time column as a number, in ms since 1970. */
export const epochMs = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;

/** The text of an interval. */
export const milliseconds = (ms: number) => `${ms} milliseconds`;
