import type { RzeroConfig } from './rzero.ts';
import type { FrameworkView } from './view.ts';

/** What is to be seen of a run of challenger and solver. */
export const RZERO_VIEW: FrameworkView<RzeroConfig> = {
  stages: [
    { name: 'challenge', letter: 'C', label: 'challenger learns' },
    { name: 'pose', letter: 'G', label: 'questions are asked' },
    { name: 'label', letter: 'L', label: 'questions are labelled' },
    { name: 'solve', letter: 'S', label: 'solver learns' },
  ],
  rates: [
    { title: 'Agreement on the challenger’s questions (C)', stage: 'challenge' },
    { title: 'Agreement on labelled questions (L)', stage: 'label' },
  ],
  keptRates: ({ label }) => label.window,
  figures: [
    {
      title: 'Questions labelled, kept and dropped',
      unit: 'count',
      lines: [
        { metric: 'label/kept', label: 'kept' },
        { metric: 'label/below_window', label: 'dropped: answers too split' },
        { metric: 'label/above_window', label: 'dropped: answers too sure' },
        { metric: 'label/without_label', label: 'dropped: no answer' },
      ],
    },
    {
      title: 'Clusters of like questions',
      note: 'in the challenger’s batch',
      unit: 'count',
      lines: [{ metric: 'challenge/clusters', label: 'clusters' }],
    },
    {
      title: 'Largest cluster',
      note: 'share of the batch; ↓ better',
      unit: 'share',
      lines: [{ metric: 'challenge/biggest_cluster', label: 'share in the largest' }],
    },
    {
      title: 'Agreement',
      unit: 'share',
      lines: [
        { metric: 'challenge/agreement', label: 'on the challenger’s questions' },
        { metric: 'label/agreement', label: 'on labelled questions' },
        { metric: 'answer/agreement', label: 'with the label, in training' },
      ],
    },
    {
      title: 'Samples without an answer',
      unit: 'share',
      lines: [
        { metric: 'challenge/abstained', label: 'to the challenger’s questions' },
        { metric: 'label/abstained', label: 'to questions that are labelled' },
      ],
    },
    {
      title: 'Length of a question in words',
      unit: 'number',
      lines: [{ metric: 'challenge/question_words', label: 'challenger’s questions' }],
    },
  ],
};
