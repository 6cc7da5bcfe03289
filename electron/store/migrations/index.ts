import { runsAndEvidence } from './001-runs-and-evidence.ts';
import { stepRecords } from './002-step-records.ts';
import {
  audits,
  evaluationsOfEveryKind,
  namesByContract,
  runAnnotations,
  searchAndEvaluations,
} from './003-to-007.ts';
import { askedQuestions } from './013-asked.ts';
import { generations } from './014-generations.ts';
import { shownTexts } from './015-shown-texts.ts';
import { judgeProbes, ownSeeds, quotations, stagesAndRoles, wordings } from './008-to-012.ts';

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
  askedQuestions,
  generations,
  shownTexts,
];
export const SCHEMA_VERSION = MIGRATIONS.length;
