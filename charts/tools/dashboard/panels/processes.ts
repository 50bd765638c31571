// The processes themselves. Data only: panel.ts says what it means.
import { byComponent, of, one, type Row, rate } from './panel.ts';

export const PROCESSES: Row = {
  title: 'Processes',
  panels: [
    {
      title: 'Memory',
      description: 'Resident, by process.',
      kind: 'lines',
      unit: 'bytes',
      queries: one(byComponent(of('process_resident_memory_bytes')), '{{component}} {{instance}}'),
    },
    {
      title: 'CPU',
      description: 'Cores, by process.',
      kind: 'lines',
      unit: 'short',
      queries: one(byComponent(rate('process_cpu_seconds_total')), '{{component}} {{instance}}'),
    },
    {
      title: 'Event loop lag (p99)',
      description: 'How late timers run: a process that is short of CPU.',
      kind: 'lines',
      unit: 's',
      queries: one(byComponent(of('nodejs_eventloop_lag_p99_seconds')), '{{component}} {{instance}}'),
    },
    {
      title: 'Versions',
      description: 'The running versions; there are two at once only during an upgrade.',
      kind: 'table',
      unit: 'short',
      width: 12,
      queries: one(`count by (namespace, component, version) (${of('build_info')})`),
    },
    {
      title: 'Running for',
      description: 'A line that falls to the ground is a process that was started again.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: one(byComponent(`(time() - ${of('process_start_time_seconds')})`), '{{component}} {{instance}}'),
    },
  ],
};
