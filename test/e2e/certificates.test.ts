// Certificates from the real cert-manager and a real certificate authority, which queries Knot itself: Certificate →
// Order → Challenge → kube-apiserver → solver → DNSRecord → operator → REST API → DNS → Pebble. All suites share one
// stack: those that do not disturb others run concurrently, and those that stop parts run afterwards.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { startPrimary } from '../support/update/primary.ts';
import { besideTheSolver } from './certificates/beside.ts';
import { doctorSaysWhatIsBroken } from './certificates/doctor.ts';
import { survivesFaults } from './certificates/faults.ts';
import { groundFor } from './certificates/ground.ts';
import { isIssued } from './certificates/issued.ts';
import { letsChallengesPass } from './certificates/paced.ts';
import { isRefused } from './certificates/refused.ts';
import { rotatesUnnoticed } from './certificates/rotation.ts';
import { UPDATED_ZONE, updatesByItself } from './certificates/updates.ts';
import { passesUpstreamsSuite } from './certificates/upstream.ts';

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
