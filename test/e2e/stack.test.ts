// Suites that share one stack, because the parts of a stack take longer to start than most of these suites take to run.
// Each suite removes its own objects at its end. A new suite belongs here if it needs no settings of its own.
import { afterAll, beforeAll } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { servesTheWholeChain } from './stack/chain.ts';
import { keepsComments } from './stack/comments.ts';
import { takesOverLiveZones } from './stack/import.ts';
import { tellsReadyRightly } from './stack/kstatus.ts';
import { survivesMisbehaviours } from './stack/misbehaviours.ts';
import { settlesAfterRandomWalks } from './stack/random-walk.ts';
import { separatesTenants } from './stack/tenancy.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.stop();
});

const theStack = () => stack;
servesTheWholeChain(theStack);
keepsComments(theStack);
tellsReadyRightly(theStack);
takesOverLiveZones(theStack);
survivesMisbehaviours(theStack);
separatesTenants(theStack);
settlesAfterRandomWalks(theStack);
