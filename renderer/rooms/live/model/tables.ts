import type { CsvTable, Phase, RunFindings } from '../../../../electron/contract/index.ts';

/** What the reviews of one phase and status took. */
export type Cost = {
  phase: Phase;
  status: string;
  byPerson: boolean;
  reviews: number;
  retries: number;
  tokensIn: number;
  tokensOut: number;
  milliseconds: number;
};

/** What the reviews of a run took: a row for each phase, status and kind of reviewer. */
export const costsTable = (costs: readonly Cost[]): CsvTable => ({
  columns: ['phase', 'status', 'by_person', 'reviews', 'retries', 'tokens_in', 'tokens_out', 'time_s'],
  rows: costs.map(({ phase, status, byPerson, reviews, retries, tokensIn, tokensOut, milliseconds }) => [
    phase,
    status,
    byPerson,
    reviews,
    retries,
    tokensIn,
    tokensOut,
    milliseconds / 1000,
  ]),
});

/** What the issues that reviews named are worth: a row for each issue of a phase; shares with their 95 % intervals. */
export const issuesTable = ({ issues }: RunFindings): CsvTable => ({
  columns: [
    'phase',
    'issue',
    'reviews',
    'verified',
    'precision',
    'precision_low',
    'precision_high',
    'told_facts',
    'stated_by_facts',
  ],
  rows: issues.map(({ phase, issue, raised, verified, precision, told, stated }) => [
    phase,
    issue,
    raised,
    verified,
    precision?.share,
    precision?.low,
    precision?.high,
    told,
    stated,
  ]),
});

/** The same by phase, as counts. */
export const phasesTable = ({ phases }: RunFindings): CsvTable => ({
  columns: ['phase', 'reviews', 'verified', 'failed', 'told_facts', 'named', 'beyond_facts', 'silent'],
  rows: phases.map(({ phase, reviews, verified, failed, told, named, beyond, silent }) => [
    phase,
    reviews,
    verified,
    failed,
    told,
    named,
    beyond,
    silent,
  ]),
});
