// For test files that have a worker of their own: what `main.ts` does as well.
import { hastenImports } from '../../src/modules.ts';

hastenImports();
