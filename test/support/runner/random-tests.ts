// For every test file of a project: property tests without a seed of their own begin with the seed of TEST_SEED, so
// that a rare case fails where a developer looks for it, and not in a run for another change. TEST_SEED=random looks
// for it.
import fc from 'fast-check';
import { firstSeed } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: firstSeed });
