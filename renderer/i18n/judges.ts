/** How good a model is as a judge, where one is chosen. */
export const judgesMessages = {
  'judge-probe.none': 'Not measured as a judge: anchor judge probe {model}',
  'judge-probe.run':
    'Measured as a judge on {items, number} items, as in a run: best {best} {bestShare}, worst {worst} {worstShare}; better than chance on {better, number} of {issues, number} issues',
  'judge-probe.alone':
    'Measured as a judge on {items, number} items. In a run it only words what is computed; by itself: best {best} {bestShare}, worst {worst} {worstShare}; better than chance on {better, number} of {issues, number} issues',
  'judge-probe.title': 'Balanced accuracy: one half is a guess',
  'judge-probe.chance': 'No better than chance on any issue: what it finds cannot be told from a guess.',
  'judge-probe.chance.alone':
    'By itself no better than chance on any issue: trust what was computed, not what it adds in words.',
  'judge-probe.start': 'Measure',
  'judge-probe.again': 'Measure again',
  'judge-probe.start.title':
    'Asks {model} about {items, number} items with known answers; takes minutes to hours',
} as const;
