// The catalogue of refusals: one entry for each rule, by its stable id. `npm run generate` generates
// docs/reference/errors.md from it.
import { ACCOUNT_REFUSALS } from './accounts.ts';
import { CHECK_REFUSALS } from './checks.ts';
import { FORM_REFUSALS } from './forms.ts';
import { RECORD_REFUSALS } from './records.ts';
import { REQUEST_REFUSALS } from './requests.ts';
import { TRUST_REFUSALS } from './trusts.ts';
import { UNDO_REFUSALS } from './undo.ts';
import { ZONE_REFUSALS } from './zones.ts';

/** The entries by subject, in the order of the reference page. */
export const SUBJECTS = {
  Requests: REQUEST_REFUSALS,
  Zones: ZONE_REFUSALS,
  Records: RECORD_REFUSALS,
  'Undo and restore': UNDO_REFUSALS,
  'Health checks': CHECK_REFUSALS,
  'Teams and keys': ACCOUNT_REFUSALS,
  'Trusts and tokens': TRUST_REFUSALS,
  'Forms of the console': FORM_REFUSALS,
} as const;

export const CATALOGUE = {
  ...REQUEST_REFUSALS,
  ...ZONE_REFUSALS,
  ...RECORD_REFUSALS,
  ...CHECK_REFUSALS,
  ...ACCOUNT_REFUSALS,
  ...TRUST_REFUSALS,
  ...FORM_REFUSALS,
  ...UNDO_REFUSALS,
} as const;

export type RuleId = keyof typeof CATALOGUE;
