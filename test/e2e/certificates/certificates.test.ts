// Certificates from the real cert-manager and a real certificate authority, which queries Knot itself: Certificate →
// Order → Challenge → kube-apiserver → solver → DNSRecord → operator → REST API → DNS → Pebble. All suites share one
// stack: those that do not disturb others run concurrently, and those that stop parts run afterwards.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startPrimary } from '../../support/doors/dns-update/primary.ts';
import { startTestStack, type TestStack } from '../../support/stack/stack.ts';
import { besideTheSolver } from './beside.ts';
import { doctorSaysWhatIsBroken } from './doctor.ts';
import { survivesFaults } from './faults.ts';
import { groundFor } from './ground.ts';
import { isIssued } from './issued.ts';
import { letsChallengesPass } from './paced.ts';
import { isRefused } from './refused.ts';
import { rotatesUnnoticed } from './rotation.ts';
import { UPDATED_ZONE, updatesByItself } from './updates.ts';
import { passesUpstreamsSuite } from './upstream.ts';

const key = { name: 'cert-manager.zonestead', algorithm: 'hmac-sha256', secret: randomBytes(32) } as const;
const { port } = await startPrimary([UPDATED_ZONE], key, ['ns1.zonestead.test']);
let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ certManager: true });
  const { ok, words } = await stack.apply(...groundFor());
  expect(ok, words).toBe(true);
  await stack.ready('zdz/site', 'zdz/shared', 'zdz/wild', 'zdr/wild');
}, 300_000);
afterAll(async () => {
  await stack?.stop();
});

const theStack = () => stack;
// These run concurrently; the longest one first.
passesUpstreamsSuite(theStack);
letsChallengesPass(theStack);
isRefused(theStack);
isIssued(theStack);
besideTheSolver(theStack);
updatesByItself(theStack, { port, key });
// These run one after the other.
rotatesUnnoticed(theStack);
doctorSaysWhatIsBroken(theStack);
survivesFaults(theStack);
