// The report of a healthy node with one zone, without its name and instance.
export const NODE_REPORT = {
  startedAt: '2026-01-01T00:00:00Z',
  version: '0.1.0',
  engine: 'Knot DNS 3.2.6',
  cursor: null,
  zones: 1,
  failingCount: 0,
  failing: [],
};
