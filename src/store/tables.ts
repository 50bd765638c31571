// All tables as drizzle sees them: the one list of tables and columns, one file for each noun. Columns and constraints
// are named by hand, so that the SQL in migrations/ reads the same. Triggers and functions, which drizzle cannot
// express, are at the end of the migration.
export * from './account-tables.ts';
export * from './check-tables.ts';
export * from './cluster-tables.ts';
export * from './dangling-tables.ts';
export * from './deleted-tables.ts';
export * from './feed-tables.ts';
export * from './grant-tables.ts';
export * from './history-tables.ts';
export * from './key-tables.ts';
export * from './node-tables.ts';
export * from './record-tables.ts';
export * from './reverse-tables.ts';
export * from './secondary-tables.ts';
export * from './zone-tables.ts';
