// Suites that share one stack, because the parts of a stack take longer to start than most of these suites take to run.
// Each suite removes its own objects at its end. A new suite belongs here if it needs no settings of its own.
import { afterAll, beforeAll } from 'vitest';
import { startTestStack, type TestStack } from '../../support/stack/stack.ts';
import { servesTheWholeChain } from './chain.ts';
import { keepsComments } from './comments.ts';
import { takesOverLiveZones } from './import.ts';
import { tellsReadyRightly } from './kstatus.ts';
import { survivesMisbehaviours } from './misbehaviours.ts';
import { settlesAfterRandomWalks } from './random-walk.ts';
import { separatesTenants } from './tenancy.ts';

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
