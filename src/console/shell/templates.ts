// The template engine of the console. Its templates call the functions of this class as `this.labelOwners(…)`.
import { Eta } from 'eta';
import { isUnnamedCluster, labelCluster, labelOwners, nameOwners } from './owner-label.ts';
import { formatTtl } from './ttl.ts';

export const TEMPLATES = new URL('..', import.meta.url).pathname;

export class Templates extends Eta {
  readonly labelOwners = labelOwners;
  readonly nameOwners = nameOwners;
  readonly labelCluster = labelCluster;
  readonly formatTtl = formatTtl;
  readonly isUnnamedCluster = isUnnamedCluster;

  constructor() {
    super({ views: TEMPLATES, cache: true, autoEscape: true });
  }
}
