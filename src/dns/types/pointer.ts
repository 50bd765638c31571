/** The types whose RDATA is one name. */
import { accept } from '../verdict.ts';
import { parseTarget, type TargetRules } from './hostname.ts';
import type { ParseContent } from './rdata.ts';

/** The parser of a type whose whole RDATA is a target under `rules`. */
export function pointerParser(rules: TargetRules): ParseContent {
  return (content) => {
    const target = parseTarget(content, rules);
    if (!target.ok) return target;
    const { text, absolute, wire, host } = target.value;
    return accept({ content: text, rdata: absolute, wire, target: host, priority: null });
  };
}
