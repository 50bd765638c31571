// The value of a header in an answer. A header that an answer has several times is a list; its first value counts.

export function firstHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
