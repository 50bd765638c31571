/** The types whose RDATA is one name. */
import { accept } from '../verdict.ts';
import type { TypeDefinition } from './define.ts';
import { parseTarget, type TargetRules } from './hostname.ts';

/** The layout and the parser of a type whose whole RDATA is a target under `rules`. */
export function pointer(rules: TargetRules): Pick<TypeDefinition, 'layout' | 'parse'> {
  return {
    layout: ['name'],
    parse: (content) => {
      const target = parseTarget(content, rules);
      if (!target.ok) return target;
      const { text, absolute, wire, host } = target.value;
      return accept({ content: text, rdata: absolute, wire, target: host, priority: null });
    },
  };
}
