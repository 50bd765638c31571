// Ends with a test file: files share a worker, and the variables that one sets must not reach the programs of the next.
import { afterAll, vi } from 'vitest';

afterAll(() => {
  vi.unstubAllEnvs();
});
