import type { AuditHead, AuditResults, CsvTable } from '../../../../electron/contract/index.ts';

/** The audits of the lab, a row each; the mean of non-leakage lies between 0 and 100. */
export const auditsTable = (heads: readonly AuditHead[]): CsvTable => ({
  columns: [
    'audit',
    'run',
    'run_name',
    'from_step',
    'to_step',
    'items',
    'seed',
    'labelled',
    'non_leakage_0_to_100',
    'non_leakage_low',
    'non_leakage_high',
    'judge',
    'created_at',
    'stored_at',
  ],
  rows: heads.map(({ id, runName, plan, wanted, results, judge, createdAt, finishedAt }) => {
    const leakage = results?.measures.find(({ name, rater }) => name === 'non-leakage' && rater === 'person');
    return [
      id,
      plan.runId,
      runName,
      plan.fromStep,
      plan.toStep,
      wanted,
      plan.seed,
      results?.done,
      leakage?.mean,
      leakage?.low,
      leakage?.high,
      judge?.model,
      createdAt,
      finishedAt,
    ];
  }),
});

/** Means of an audit with their 95 % intervals, between 0 and 100. */
export const measuresTable = ({ measures }: Pick<AuditResults, 'measures'>): CsvTable => ({
  columns: ['measure', 'rater', 'n', 'mean_0_to_100', 'low', 'high'],
  rows: measures.map(({ name, rater, n, mean, low, high }) => [name, rater, n, mean, low, high]),
});

/** How raters agree, as counts, share and Cohen's kappa with their 95 % intervals. */
export const agreementTable = ({ decision, leak }: Pick<AuditResults, 'decision' | 'leak'>): CsvTable => ({
  columns: [
    'question',
    'both_yes',
    'only_person',
    'only_other',
    'both_no',
    'agreed',
    'n',
    'share',
    'share_low',
    'share_high',
    'kappa',
    'kappa_low',
    'kappa_high',
  ],
  rows: Object.entries({ decision, leak }).flatMap(([question, found]) =>
    found === null
      ? []
      : [
          [
            question,
            ...found.table,
            found.raw.hits,
            found.raw.n,
            found.raw.share,
            found.raw.low,
            found.raw.high,
            found.kappa?.value,
            found.kappa?.low,
            found.kappa?.high,
          ],
        ],
  ),
});

/** Where the raters differ, a row for each item and question. */
export const differTable = ({ differ }: Pick<AuditResults, 'differ'>): CsvTable => ({
  columns: ['item', 'question', 'person', 'other'],
  rows: differ.map(({ ordinal, what, person, other }) => [ordinal, what, person, other]),
});
