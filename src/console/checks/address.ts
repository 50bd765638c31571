// The addresses of the pages of a check.

export interface OfCheck {
  Params: { owner: string; name: string };
}

export function addressOfCheck(owner: string, name: string): string {
  return `/console/checks/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
