// Refusals of the console's forms. The REST API does not use them.
import type { RefusalText } from './rule.ts';

export const FORM_REFUSALS = {
  'form-fields': { code: 'bad_request', sentence: 'The form has more than {limit} fields.' },
  'form-field-names': { code: 'bad_request', sentence: 'The form has fields of more than {limit} names.' },
  'form-malformed': { code: 'bad_request', sentence: 'The form is malformed.' },
  'form-file-not-utf8': { code: 'bad_request', sentence: 'The file is not UTF-8 text.' },
  'file-missing': { code: 'bad_request', field: 'file', sentence: 'Choose a file, or paste one.' },
  'another-preview': {
    code: 'conflict',
    sentence:
      'Another file was previewed in the meantime, so nothing was imported. These are the changes of the newer file.',
  },
  'managed-elsewhere': {
    code: 'conflict',
    field: 'anyway',
    sentence: 'This is managed by {owner}; nothing was changed. Select the box to change it anyway.',
  },
  'form-outcome-unknown': {
    code: 'conflict',
    sentence:
      'This form was sent before, and the outcome is not known. Look whether the change was made before you send a new form.',
  },
  'another-difference': {
    code: 'precondition_failed',
    sentence: 'The records changed while the page was open, so nothing was changed. These are the differences now.',
  },
  'value-changed': {
    code: 'precondition_failed',
    sentence:
      'This changed from {seen} to {now} while the page was open, so nothing was written. Send the form again if your change is still right.',
  },
  'nothing-selected': {
    code: 'not_found',
    sentence: 'No record is selected, or the selected records were deleted. Nothing was changed.',
  },
  'check-exists': {
    code: 'conflict',
    field: 'name',
    sentence: 'The owner has a check {name} already. Change it on its page, or choose another name.',
  },
  'not-confirmed': {
    code: 'bad_request',
    field: 'confirm',
    sentence: 'Type {name} to confirm; nothing was deleted.',
  },
} as const satisfies Record<string, RefusalText>;
