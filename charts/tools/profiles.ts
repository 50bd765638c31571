// files/profiles/defaults.json of the chart: the defaults in values.yaml of the values that a profile sets. A template
// cannot read values.yaml, and needs it to tell a value of the user from a default. Pure.
import { parse } from 'yaml';

type Values = { [key: string]: unknown };
const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param profiles the YAML of each profile. @param valuesYaml the YAML of values.yaml */
export function profileDefaults(profiles: readonly string[], valuesYaml: string): string {
  const defaults: Values = {};
  for (const profile of profiles) collect(parse(profile) as Values, parse(valuesYaml) as Values, defaults);
  return `${JSON.stringify(defaults, null, 2)}\n`;
}

/** A value that values.yaml does not have, for instance `livenessProbe`, is null. */
function collect(profile: Values, values: Values, into: Values): void {
  for (const [key, wanted] of Object.entries(profile)) {
    const value = values[key] ?? null;
    if (!isMap(wanted) || !isMap(value)) into[key] = value;
    else {
      const inner = isMap(into[key]) ? into[key] : {};
      collect(wanted, value, inner);
      into[key] = inner;
    }
  }
}
