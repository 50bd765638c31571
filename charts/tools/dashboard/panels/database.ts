// The database, as the REST service and as the cluster see it. Data only: panel.ts says what it means.
import { foreign, from, of, one, perMinute, type Row } from './panel.ts';

const VOLUME = 'persistentvolumeclaim=~".*-db-.+"';

export const DATABASE: Row = {
  title: 'Database',
  panels: [
    {
      title: 'Database reached',
      description: 'Processes of the REST service that reach a database server that takes writes. All of them should.',
      kind: 'lines',
      unit: 'short',
      queries: one(of('database_up'), '{{instance}}'),
    },
    {
      title: 'Lost connections',
      description: 'Replacements of the connections by reason. standby: commits wait for a synchronous standby.',
      kind: 'stacked',
      unit: 'opm',
      queries: one(`sum by (reason) (${perMinute('database_losses_total')})`, '{{reason}}'),
    },
    {
      title: 'Database pool',
      description: 'Statements and transactions in progress, and the size of the pool. Above that size they wait.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: of('database_operations_in_flight'), legend: 'work {{instance}}' },
        { expr: `max(${of('database_connections_max')})`, legend: 'pool' },
      ],
    },
    {
      title: 'Retention',
      description: 'Rounds of the job that deletes old rows. If they fail, the database grows.',
      kind: 'lines',
      unit: 'opm',
      queries: one(`sum by (result) (${perMinute('retention_rounds_total')})`, '{{result}}'),
    },
    {
      title: 'Free space of the database',
      description: 'The free part of the volumes. When one is full, PostgreSQL stops.',
      kind: 'lines',
      unit: 'percentunit',
      bad: { below: 0.15 },
      queries: [
        from(
          'kubelet',
          `${foreign('kubelet_volume_stats_available_bytes', VOLUME)} / ${foreign('kubelet_volume_stats_capacity_bytes', VOLUME)}`,
          '{{persistentvolumeclaim}}',
        ),
      ],
    },
    {
      title: 'Age of the backup and of archived WAL',
      description: 'A restore loses the changes since the last archived WAL.',
      kind: 'lines',
      unit: 's',
      queries: [
        from(
          'CloudNativePG',
          `time() - max by (namespace) (${foreign('barman_cloud_cloudnative_pg_io_last_available_backup_timestamp', 'pod!=""')} or ${foreign('cnpg_collector_last_available_backup_timestamp', 'pod!=""')})`,
          'backup {{namespace}}',
        ),
        from(
          'CloudNativePG',
          `time() - max by (namespace) (${foreign('cnpg_pg_stat_archiver_last_archived_time', 'pod!=""')})`,
          'WAL {{namespace}}',
        ),
      ],
    },
  ],
};
