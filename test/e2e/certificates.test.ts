// Certificates by the real cert-manager and a real certificate authority, which asks PowerDNS itself: Certificate → Order →
// Challenge → kube-apiserver → solver → DNSRecord → operator → REST API → DNS → Pebble. One stack for all of it: what
// disturbs nobody goes side by side, what breaks parts comes after.
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { besideTheSolver } from './certificates/beside.ts';
import { doctorSaysWhatIsBroken } from './certificates/doctor.ts';
import { survivesFaults } from './certificates/faults.ts';
import { groundFor } from './certificates/ground.ts';
import { isIssued } from './certificates/issued.ts';
import { letsChallengesPass } from './certificates/paced.ts';
import { isRefused } from './certificates/refused.ts';
import { rotatesUnnoticed } from './certificates/rotation.ts';
import { passesUpstreamsSuite } from './certificates/upstream.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ certManager: true });
  const { ok, words } = await stack.apply(...groundFor());
  expect(ok, words).toBe(true);
  await stack.ready(60, 'zdz/site', 'zdz/shared', 'zdz/wild', 'zdr/wild');
}, 300_000);
afterAll(async () => {
  await stack?.stop();
});

const theStack = () => stack;
// Side by side; what waits longest first.
passesUpstreamsSuite(theStack);
letsChallengesPass(theStack);
isRefused(theStack);
isIssued(theStack);
besideTheSolver(theStack);
// One after the other.
rotatesUnnoticed(theStack);
doctorSaysWhatIsBroken(theStack);
survivesFaults(theStack);
