// docs/reference/errors.md: the codes of errors with their statuses, and every rule of the catalogue with its message.
import { CODES, STATUS, STATUS_OF_RULE } from '#http/error-codes.ts';
import { type RuleId, SUBJECTS } from '#service/refusals/catalogue.ts';
import type { RefusalText } from '#service/refusals/rule.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

/** Parameters as people read them: `<name>` instead of `{name}`. */
function formatMessage({ sentence, about }: RefusalText): string {
  return plain(about ?? sentence.replaceAll(/\{(\w+)\}/g, '<$1>'));
}

function buildRulesTable(rules: Readonly<Record<string, RefusalText>>): string {
  const rows = Object.entries(rules).map(([rule, text]) => [
    code(rule),
    `${code(text.code)}, ${STATUS_OF_RULE[rule as RuleId] ?? STATUS[text.code]}`,
    text.field === undefined ? '' : code(text.field),
    formatMessage(text),
  ]);
  return table(['rule', 'code and status', 'field', 'message'], rows);
}

export function errorsPage(): string {
  return page(
    'Errors',
    paragraph(
      'This page lists the error codes of the REST API and the rules that lead to them. The operator uses the same codes for the reasons of [conditions](conditions.md).',
    ),
    paragraph(
      'The body of every error is JSON. After an error, nothing was written; `outcome-unknown` is the only exception.',
    ),
    table(
      ['member', 'present', 'meaning'],
      [
        [code('error'), 'always', 'The stable code. Programs should branch on it and on the status.'],
        [
          code('message'),
          'always',
          'Sentences for people: the field, the wrong value and the accepted values. They may change.',
        ],
        [
          code('field'),
          'if a field is at fault',
          'The path of the field, for example `content` or, in a batch, `changes.3.content`.',
        ],
        [code('records'), 'if records conflict', 'The ids of the stored records that conflict with the request.'],
      ],
    ),
    '## Codes',
    table(
      ['code', 'status', 'meaning'],
      Object.entries(CODES).map(([name, { status, meaning }]) => [
        code(name),
        String(status),
        `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`,
      ]),
    ),
    '## Rules',
    paragraph('In the messages, a word such as `<name>` stands for a value.'),
    ...Object.entries(SUBJECTS).flatMap(([subject, rules]) => [`### ${subject}`, buildRulesTable(rules)]),
  );
}
