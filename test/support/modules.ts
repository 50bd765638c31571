// For test files with a worker of their own: loads modules as `main.ts` does.
import { hastenImports } from '#modules.ts';

hastenImports();
