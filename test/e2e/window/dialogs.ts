import type { Page } from 'playwright-core';
import type { MadeLab } from '../../support/made-lab.ts';

/** The lab of the dialogs: as it is made, and an evaluation of its supervised run. */
export type EvaluatedLab = MadeLab & { evaluation: string };

/** Everything that opens over a page: where it stands in the sources, and how a person opens it without a mouse. */
export type Dialog = {
  name: string;
  /** The file of `renderer/` that has it. */
  file: string;
  at: (lab: EvaluatedLab) => string;
  /** Makes what opens it appear. */
  before?: (page: Page) => Promise<void>;
  /** The button that has the focus when it is opened. */
  opener: string | RegExp;
  /** What opens it from there, Enter where it is absent. */
  keys?: readonly string[];
  /** A menu is walked by arrow keys, everything else by Tab. */
  is: 'menu' | 'dialog';
};

const ofRun = ({ supervised }: MadeLab): string => `/runs/${supervised}`;
const records = ({ supervised, record }: MadeLab): string => `/runs/${supervised}/records?record=${record}`;

export const DIALOGS: readonly Dialog[] = [
  {
    name: 'a deletion that is confirmed',
    file: 'ui/buttons.tsx',
    at: ({ alone }) => `/runs?run=${alone}`,
    opener: /^Delete/,
    is: 'dialog',
  },
  {
    name: 'the command palette',
    file: 'app/frame-commands.tsx',
    at: () => '/settings',
    opener: /./,
    keys: ['Control+k'],
    is: 'dialog',
  },
  {
    name: 'the keys of the screen',
    file: 'app/frame-commands.tsx',
    at: () => '/settings',
    opener: /./,
    keys: ['Shift+?'],
    is: 'dialog',
  },
  {
    name: 'saved filters of records',
    file: 'rooms/records/filters/side-pane.tsx',
    at: records,
    opener: 'Saved filters',
    is: 'dialog',
  },
  {
    name: 'how records are searched',
    file: 'rooms/records/list/search-box.tsx',
    at: records,
    opener: 'How to search',
    is: 'dialog',
  },
  {
    name: 'actions on a record',
    file: 'rooms/records/record/shown-record.tsx',
    at: records,
    opener: 'More actions on this record',
    is: 'menu',
  },
  {
    name: 'the context that a record led to',
    file: 'rooms/records/record/next-context.tsx',
    at: records,
    opener: 'More actions on this record',
    keys: ['Enter', 'ArrowDown', 'ArrowDown', 'Enter'],
    is: 'dialog',
  },
  {
    name: 'guidelines of an audit',
    file: 'rooms/reviews/queue/guidelines.tsx',
    at: ({ audit }) => `/reviews/audits/${audit}`,
    opener: 'Guidelines',
    is: 'dialog',
  },
  {
    name: 'the licence of a package',
    file: 'rooms/settings/settings-page.tsx',
    at: () => '/settings?section=about',
    opener: /MIT/,
    is: 'dialog',
  },
  {
    name: 'review probabilities with one phase left out',
    file: 'rooms/new-run/parts/phase-presets.tsx',
    at: () => '/new?at=supervision',
    opener: 'Leave one out',
    is: 'menu',
  },
  {
    name: 'review probabilities of another run',
    file: 'rooms/new-run/parts/phase-presets.tsx',
    at: () => '/new?at=supervision',
    opener: 'From a run',
    is: 'menu',
  },
  {
    name: 'tags of several runs',
    file: 'rooms/runs/parts/list-bars.tsx',
    at: ({ alone }) => `/runs?picked=${alone}`,
    opener: /^Tag/,
    is: 'dialog',
  },
  {
    name: 'the step that a run goes on from',
    file: 'rooms/runs/selected-run.tsx',
    at: ({ alone }) => `/runs?run=${alone}`,
    opener: 'Go on from a step',
    is: 'menu',
  },
  {
    name: 'the export of a run',
    file: 'ui/run-export.tsx',
    at: ({ alone }) => `/runs?run=${alone}`,
    opener: 'Export…',
    is: 'dialog',
  },
  {
    name: 'policies of an evaluation',
    file: 'rooms/evaluations/request/subject-list.tsx',
    at: () => '/evaluations?tab=suites',
    opener: /^Policies/,
    is: 'dialog',
  },
  {
    name: 'an evaluation that is begun',
    file: 'rooms/evaluations/request/evaluation-dialog.tsx',
    at: ({ alone }) => `/evaluations?tab=suites&suites=toy-refusal&columns=${alone}@0`,
    opener: 'Evaluate…',
    is: 'dialog',
  },
  {
    name: 'the export of an evaluation',
    file: 'rooms/evaluations/items/items-head.tsx',
    at: ({ evaluation }) => `/evaluations?tab=items&evaluation=${evaluation}`,
    opener: 'Export…',
    is: 'dialog',
  },
  {
    name: 'an evaluation that is computed again',
    file: 'rooms/evaluations/items/items-head.tsx',
    at: ({ evaluation }) => `/evaluations?tab=items&evaluation=${evaluation}`,
    opener: 'Verify…',
    is: 'dialog',
  },
  {
    name: 'every figure of a judge that was probed',
    file: 'ui/judge-figures.tsx',
    at: () => '/new?at=supervision',
    opener: 'All figures',
    is: 'dialog',
  },
  {
    name: 'formats of a copied table',
    file: 'rooms/evaluations/matrix/matrix-foot.tsx',
    at: () => '/evaluations?tab=matrix',
    opener: 'Copy as…',
    is: 'menu',
  },
  {
    name: 'the export of a figure',
    file: 'charts/chart-frame.tsx',
    at: ofRun,
    opener: 'Save or copy this figure',
    is: 'menu',
  },
  {
    name: 'how much a curve is smoothed',
    file: 'charts/curve-parts.tsx',
    at: (lab) => `${ofRun(lab)}?tab=live&smoothing=0.5`,
    opener: /^Smoothing/,
    is: 'dialog',
  },
  {
    name: 'an answer that becomes an item of a suite',
    file: 'rooms/asking/keep-form.tsx',
    at: () => '/ask',
    before: async (page) => {
      await page.getByLabel('Question', { exact: true }).fill('Can you clean the sealed key?');
      await page.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
      await page.getByRole('button', { name: 'Add to a suite…' }).first().waitFor({ timeout: 120_000 });
    },
    opener: 'Add to a suite…',
    is: 'dialog',
  },
];
