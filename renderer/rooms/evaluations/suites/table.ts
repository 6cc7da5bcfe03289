import type { CsvTable, SuiteChoice } from '../../../../electron/contract/index.ts';

/** Every suite, a row each. */
export const suitesTable = (suites: readonly SuiteChoice[]): CsvTable => ({
  columns: [
    'suite',
    'title',
    'group',
    'measures',
    'better',
    'items',
    'source',
    'needs_sandbox',
    'needs_judge',
    'needs_maths',
    'protocols',
    'time_per_answer_s',
  ],
  rows: suites.map(
    ({ name, title, group, measures, better, items, source, needs, protocols, secondsPerItem }) => [
      name,
      title,
      group,
      measures,
      better,
      items,
      source.kind === 'bundled' ? 'bundled' : `${source.dataset} (${source.state})`,
      needs.sandbox,
      needs.judge,
      needs.maths,
      protocols.map((protocol) => protocol.name).join('; '),
      secondsPerItem,
    ],
  ),
});
