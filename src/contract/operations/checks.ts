// The REST API of health checks.
import { z } from 'zod';
import {
  check,
  checkBody,
  checkList,
  checkParams,
  checkQuery,
  pinBody,
  signal,
  signalWrite,
  target,
  targetParams,
} from '../checks.ts';
import { operation } from '../operation.ts';

export const listChecks = operation({
  id: 'listChecks',
  method: 'GET',
  path: '/v1/checks',
  tag: 'checks',
  summary: 'List the health checks',
  description: 'Lists the checks of the team of an app key, or those of a person and of all teams of the person.',
  needs: 'records:read',
  query: checkQuery,
  answers: { 200: checkList },
  errors: ['bad_request', 'forbidden'],
});

export const getCheck = operation({
  id: 'getCheck',
  method: 'GET',
  path: '/v1/checks/{name}',
  tag: 'checks',
  summary: 'Get a health check',
  description: 'Returns a check with the addresses of the records that name it.',
  needs: 'records:read',
  params: checkParams,
  query: checkQuery,
  answers: { 200: check },
  errors: ['bad_request', 'forbidden', 'not_found'],
});

export const setCheck = operation({
  id: 'setCheck',
  method: 'PUT',
  path: '/v1/checks/{name}',
  tag: 'checks',
  summary: 'Create or replace a health check',
  description:
    'The service probes the addresses of the A and AAAA records that name the check, or a monitor sends their state if the type is `signal`. While an address is unhealthy, answers omit it, unless nothing else would be left. A repeated call changes nothing.',
  needs: 'records:write',
  counts: 'records',
  params: checkParams,
  query: checkQuery,
  body: checkBody,
  answers: { 200: check },
  errors: ['bad_request', 'forbidden', 'rate_limited'],
});

export const deleteCheck = operation({
  id: 'deleteCheck',
  method: 'DELETE',
  path: '/v1/checks/{name}',
  tag: 'checks',
  summary: 'Delete a health check',
  description: 'No record may name the check any more.',
  needs: 'records:write',
  counts: 'records',
  params: checkParams,
  query: checkQuery,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited'],
});

export const setCheckSignal = operation({
  id: 'setCheckSignal',
  method: 'PUT',
  path: '/v1/checks/{name}/signal',
  tag: 'checks',
  summary: 'Send the state of the addresses of a check',
  description:
    'For the monitor of a check of the type `signal`. A signal that says something else than the last one counts as a record write; one that says the same gets a new end only. A key with the right `signals` may call it for the checks that the right names, and a key with `records:write` on all records of the owner for every check.',
  needs: 'signals',
  counts: { bucket: 'records', changes: 'operation' },
  params: checkParams,
  query: checkQuery,
  body: signalWrite,
  answers: { 200: signal },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited'],
});

export const pinTarget = operation({
  id: 'pinTarget',
  method: 'PUT',
  path: '/v1/checks/{name}/targets/{address}/pin',
  tag: 'checks',
  summary: 'Pin an address as healthy or unhealthy',
  description: 'For maintenance: until the pin ends, it counts instead of the probes, which continue.',
  needs: 'records:write',
  counts: 'records',
  params: targetParams,
  query: checkQuery,
  body: pinBody,
  answers: { 200: target },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited'],
});

export const unpinTarget = operation({
  id: 'unpinTarget',
  method: 'DELETE',
  path: '/v1/checks/{name}/targets/{address}/pin',
  tag: 'checks',
  summary: 'End the pin of an address',
  description: 'The probes decide again. A repeated call changes nothing.',
  needs: 'records:write',
  counts: 'records',
  params: targetParams,
  query: checkQuery,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited'],
});
