// The header Link of a refusal (RFC 8288) with the relation help: it leads to the section of the page of errors that
// lists the refusal's rule. No error body changes, so every protocol over HTTP has it.
import type { FastifyReply } from 'fastify';
import { linkToPage } from '#base/docs-link.ts';
import type { RuleId } from '#service/refusal.ts';
import { SUBJECTS } from '#service/refusals/catalogue.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Address of the documentation; absent: no refusal has a link. */
    docsUrl?: string;
  }
}

const ANCHORS: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBJECTS).flatMap(([subject, rules]) =>
    Object.keys(rules).map((rule): [string, string] => [rule, subject.toLowerCase().replaceAll(' ', '-')]),
  ),
);

/** The anchor of the section with the rule, on the page of errors. */
export function anchorOfRule(rule: RuleId): string {
  return ANCHORS.get(rule) ?? 'rules';
}

/** Adds the link if the service knows the address of the documentation. */
export function linkToRule(reply: FastifyReply, rule: RuleId): void {
  const site = reply.server.docsUrl;
  if (site !== undefined) reply.header('link', `<${linkToPage(site, 'errors', anchorOfRule(rule))}>; rel="help"`);
}
