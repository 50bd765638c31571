// Faults of the denial of names.
import type { Fault } from '../fault.ts';
import { noticedIn } from './fault.ts';

const node = noticedIn('denial', 'test/unit/nameserver/node/denial.test.ts', 'src/nameserver/node/converge.ts');
const manifests = noticedIn('denial', 'test/unit/resources/manifests.test.ts', 'src/resources/manifests.ts');
const operator = noticedIn('denial', 'test/unit/operator/zones.test.ts', 'src/operator/zone/reconcile.ts');
const adopted = noticedIn('denial', 'test/unit/operator/zones.test.ts', 'src/operator/zone/find.ts');

export const DENIAL_FAULTS: readonly Fault[] = [
  node('ignored', 'a change of the denial does not reach the name server', ' || row.denial !== denial) {', ') {'),
  node(
    'forgotten',
    'a node that was killed during the change believes that the zone has the old denial',
    'state.put({ ...row, denial: null, isDirty: true });',
    'state.put({ ...row, isDirty: true });',
  ),
  node(
    'always',
    'each reload of a zone asks the name server to sign it again',
    'if (isPresent && row.denial !== denial) await',
    'if (isPresent) await',
  ),
  node(
    'key',
    'a zone whose key knotd lost never gets its new denial',
    ' || (row.key === key && row.denial === null)',
    '',
  ),
  manifests(
    'exported',
    'a zone with NSEC3 that is taken over by its exported manifests returns to NSEC',
    ' === DEFAULT_DENIAL ? {} : { denial: zone.denial }',
    ' === DEFAULT_DENIAL ? {} : {}',
  ),
  operator(
    'adopted-reset',
    'a zone that was taken over returns to NSEC',
    'spec.denial ?? (isOurs ? DEFAULT_DENIAL : now.denial)',
    'spec.denial ?? DEFAULT_DENIAL',
  ),
  adopted(
    'takeover',
    'a takeover changes the denial of the zone',
    'denial === undefined || denial === zone.denial ? []',
    'denial !== null ? []',
  ),
];
