import type { MadeLab } from '../../support/made-lab.ts';

/** A place of the window worth looking at, in the lab that makeLab makes. */
export type Place = {
  name: string;
  at: string;
  /** The page of a room that this is, as the room names it. */ page: string;
};

/** Every page of every room at least once; a test compares the list with the rooms. */
export const placesOf = ({ supervised, alone, stopped, audit, record }: MadeLab): Place[] => [
  { name: 'runs', at: '/runs', page: '/runs' },
  { name: 'runs-no-match', at: '/runs?q=nothing-is-called-so', page: '/runs' },
  { name: 'compare', at: `/runs/compare?runs=${supervised},${alone}`, page: '/runs/compare' },
  { name: 'new-run', at: '/new', page: '/new' },
  { name: 'new-run-supervision', at: '/new?at=supervision', page: '/new' },
  { name: 'live-finished', at: `/runs/${supervised}`, page: '/runs/$runId' },
  { name: 'live-paused', at: `/runs/${stopped}`, page: '/runs/$runId' },
  { name: 'tasks', at: `/runs/${supervised}?tab=tasks`, page: '/runs/$runId' },
  { name: 'records', at: `/runs/${supervised}/records`, page: '/runs/$runId/records' },
  { name: 'record', at: `/runs/${supervised}/records?record=${record}`, page: '/runs/$runId/records' },
  { name: 'context', at: `/runs/${supervised}/context`, page: '/runs/$runId/context' },
  { name: 'reviews', at: '/reviews', page: '/reviews' },
  { name: 'labels', at: `/reviews/labels/${supervised}`, page: '/reviews/labels/$runId' },
  { name: 'audits', at: '/reviews/audits', page: '/reviews/audits' },
  { name: 'audit', at: `/reviews/audits/${audit}`, page: '/reviews/audits/$auditId' },
  ...['matrix', 'suites', 'items', 'datasets', 'judges'].map((tab) => ({
    name: `evaluations-${tab}`,
    at: `/evaluations?tab=${tab}`,
    page: '/evaluations',
  })),
  { name: 'ask', at: '/ask', page: '/ask' },
  { name: 'library', at: '/library', page: '/library' },
  { name: 'library-import', at: '/library/import', page: '/library/import' },
  { name: 'library-bring', at: '/library/bring', page: '/library/bring' },
  { name: 'settings', at: '/settings', page: '/settings' },
  ...['hardware', 'storage', 'backup', 'shortcuts', 'appearance', 'about'].map((section) => ({
    name: `settings-${section}`,
    at: `/settings?section=${section}`,
    page: '/settings',
  })),
  { name: 'demo', at: `/demo?alone=${alone}&supervised=${supervised}`, page: '/demo' },
  ...['why', 'what-if', 'costs'].map((part) => ({
    name: `demo-${part}`,
    at: `/demo?alone=${alone}&supervised=${supervised}&part=${part}`,
    page: '/demo',
  })),
  { name: 'demo-notes', at: '/demo/notes', page: '/demo/notes' },
  { name: 'tour', at: '/tour', page: '/tour' },
  { name: 'not-found', at: '/nowhere', page: '' },
];

/** Places of the recorded sample run that docs/pictures shows; the sample is opened first. */
export const SAMPLE_PLACES: readonly Place[] = [
  { name: 'new-run', at: '/new?at=supervision', page: '/new' },
  {
    name: 'records',
    at: `/runs/sample-supervised/records?record=${encodeURIComponent('1/pred_code_i/3')}`,
    page: '/runs/$runId/records',
  },
  { name: 'context', at: '/runs/sample-supervised/context', page: '/runs/$runId/context' },
  { name: 'demo', at: '/demo?step=16&context=on', page: '/demo' },
  { name: 'demo-why', at: '/demo?part=why', page: '/demo' },
  { name: 'demo-costs', at: '/demo?part=costs', page: '/demo' },
];

/** Every page in a lab with nothing but the recorded sample. It needs no training, and has everything that a place shows but an audit. */
export const PLACES_OF_SAMPLE: readonly Place[] = [
  ...placesOf({
    folder: '',
    supervised: 'sample-supervised',
    alone: 'sample-alone',
    stopped: 'sample-alone',
    audit: 'none',
    record: '1/pred_code_i/3',
  }),
  // A finished run opens with its overview.
  { name: 'live', at: '/runs/sample-supervised?tab=live', page: '/runs/$runId' },
];
