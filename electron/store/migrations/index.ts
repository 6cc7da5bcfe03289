import { runsAndEvidence } from './001-runs-and-evidence.ts';
import { stepRecords } from './002-step-records.ts';
import { searchAndEvaluations } from './003-search-and-evaluations.ts';

export type Migration = { version: number; name: string; sql: string };

/** All migrations in order; `version` is the value of PRAGMA user_version after it. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [runsAndEvidence, stepRecords, searchAndEvaluations];
export const SCHEMA_VERSION = MIGRATIONS.length;
