import { runsAndEvidence } from './001-runs-and-evidence.ts';
import { stepRecords } from './002-step-records.ts';
import { searchAndEvaluations } from './003-search-and-evaluations.ts';
import { namesByContract } from './004-names-by-contract.ts';
import { runAnnotations } from './005-run-annotations.ts';
import { audits } from './006-audits.ts';
import { evaluationsOfEveryKind } from './007-evaluations-of-every-kind.ts';
import { stagesAndRoles } from './008-stages-and-roles.ts';
import { wordings } from './009-wordings.ts';
import { ownSeeds } from './010-own-seeds.ts';
import { judgeProbes } from './011-judge-probes.ts';
import { quotations } from './012-quotations.ts';

export type Migration = {
  version: number;
  name: string;
  sql: string;
  /** It edits the text of the schema itself, which SQLite forbids unless it is asked to allow it. */
  editsSchema?: true;
};

/** All migrations in order; `version` is the value of PRAGMA user_version after it. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  runsAndEvidence,
  stepRecords,
  searchAndEvaluations,
  namesByContract,
  runAnnotations,
  audits,
  evaluationsOfEveryKind,
  stagesAndRoles,
  wordings,
  ownSeeds,
  judgeProbes,
  quotations,
];
export const SCHEMA_VERSION = MIGRATIONS.length;
