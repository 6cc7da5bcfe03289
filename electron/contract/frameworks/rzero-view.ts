import type { RzeroConfig } from './rzero.ts';
import type { FigureView, FrameworkView } from './view.ts';

const line = (metric: string, label: string): FigureView['lines'][number] => ({ metric, label });
/** The same measure of the challenger's questions in training (C) and of those that are labelled afterwards (G). */
const ofQuestions = (measure: string, words = ''): FigureView['lines'] => [
  line(`challenge/${measure}`, `${words}C`),
  line(`pose/${measure}`, `${words}G`),
];
const ofVotes = (measure: string): FigureView['lines'] => [
  line(`challenge/${measure}`, 'votes in C'),
  line(`label/${measure}`, 'votes in L'),
];

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
  labels: {
    origin: 'labelled',
    agreement: 'label/agreement',
    computable: 'label/computable',
    computedRight: 'label/computed_right',
  },
  watches: [
    {
      rises: line('label/agreement', 'agreement on labels'),
      worsens: [
        { ...line('pose/distinct_2', 'distinct pairs of words'), when: 'falls' },
        { ...line('pose/pairwise_bleu', 'likeness of questions'), when: 'rises' },
        { ...line('challenge/clusters', 'clusters of questions'), when: 'falls' },
        { ...line('label/label_entropy', 'entropy of labels'), when: 'falls' },
        { ...line('label/computed_accuracy', 'accuracy of computable labels'), when: 'falls' },
      ],
    },
  ],
  figures: [
    {
      title: 'Questions asked, kept and left out (G)',
      unit: 'count',
      lines: [
        line('pose/questions', 'kept'),
        line('pose/duplicates', 'asked before'),
        line('pose/unreadable', 'cannot be read'),
        line('pose/filtered', 'left out by the filter'),
      ],
    },
    {
      title: 'Questions labelled, kept and dropped (L)',
      unit: 'count',
      lines: [
        line('label/kept', 'kept'),
        line('label/below_window', 'answers too split'),
        line('label/above_window', 'answers too sure'),
        line('label/without_label', 'no answer'),
      ],
    },
    {
      title: 'Agreement and label accuracy',
      unit: 'share',
      lines: [
        line('challenge/agreement', 'agreement in C'),
        line('label/agreement', 'agreement on labels'),
        line('answer/agreement', 'answers equal to the label, S'),
        line('label/computed_accuracy', 'computable labels that are right'),
      ],
    },
    {
      title: 'Clusters of like questions (C)',
      unit: 'count',
      lines: [line('challenge/clusters', 'clusters')],
    },
    {
      title: 'Largest cluster (C)',
      note: 'share of the batch',
      unit: 'share',
      lines: [line('challenge/biggest_cluster', 'in the largest')],
    },
    {
      title: 'Lexical diversity',
      note: 'distinct-1 and distinct-2',
      unit: 'share',
      lines: [...ofQuestions('distinct_1', 'words, '), ...ofQuestions('distinct_2', 'pairs of words, ')],
    },
    {
      title: 'Likeness of questions',
      note: 'mean BLEU of pairs',
      unit: 'share',
      lines: ofQuestions('pairwise_bleu'),
    },
    {
      title: 'Diversity of answers',
      note: 'entropy',
      unit: 'bits',
      lines: [...ofVotes('answer_entropy'), line('label/label_entropy', 'labels of a step')],
    },
    { title: 'Words of a question', unit: 'number', lines: ofQuestions('question_words') },
    {
      title: 'Complexity of a question',
      note: 'numbers, signs and commands of formulas',
      unit: 'number',
      lines: ofQuestions('question_terms'),
    },
    { title: 'Tokens of an answer', unit: 'number', lines: ofVotes('vote_tokens') },
    {
      title: 'Samples without an answer',
      unit: 'share',
      lines: [...ofVotes('abstained'), line('answer/abstained', 'trained, S')],
    },
    {
      title: 'Samples cut off',
      note: 'at the limit of new tokens',
      unit: 'share',
      lines: [...ofVotes('truncated'), line('answer/truncated', 'trained, S')],
    },
    {
      title: 'Answers that nobody could compare',
      note: 'pairs of a step',
      unit: 'count',
      lines: ofVotes('incomparable'),
    },
    {
      title: 'Groups that teach nothing (S)',
      unit: 'share',
      lines: [line('answer/all_1', 'all agree with the label'), line('answer/all_0', 'none agrees')],
    },
  ],
};
