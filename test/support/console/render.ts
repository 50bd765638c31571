// Renders a template of the console without a service, with the data that every page gets.
import { Templates } from '#console/shell/templates.ts';
import { whenOf } from '#console/shell/when.ts';

const templates = new Templates();
const NOW = new Date('2026-11-21T12:00:00.000Z');

/** @param template as pages name it: `records/row` */
export function render(template: string, data: Record<string, unknown> = {}): string {
  const shared = {
    ...{ errors: {}, typed: {}, flash: null, fresh: null, csrf: 'token', teams: [], path: '/console/', isHtmx: false },
    ...{ once: () => 'once', asset: (name: string) => `/console/assets/${name}`, version: '0', sections: [] },
    ...{ whenOf: (at: string) => whenOf(at, NOW), person: null },
  };
  return templates.render(template, { ...shared, ...data });
}
