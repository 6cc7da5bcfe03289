/** How good a model is as a judge, where one is chosen. */
export const judgesMessages = {
  'judge-probe.none': 'Not measured as a judge: anchor judge probe {model}',
  'judge-probe.run': 'As a judge: best {best} {bestShare}, worst {worst} {worstShare}',
  'judge-probe.alone': 'As a judge by itself: best {best} {bestShare}, worst {worst} {worstShare}',
  'judge-probe.run.title':
    'Balanced accuracy on {items, number} items with known answers, asked as in a run; a guess gets one half. Better than chance on {better, number} of {issues, number} issues.',
  'judge-probe.alone.title':
    'Balanced accuracy on {items, number} items with known answers, without what was computed; a guess gets one half. Better than chance on {better, number} of {issues, number} issues. In a run it only words what was computed.',
  'judge-probe.chance': 'No better than chance on any issue: what it finds cannot be told from a guess.',
  'judge-probe.chance.alone':
    'By itself no better than chance on any issue: trust what was computed, not what it adds in words.',
  'judge-probe.start': 'Measure',
  'judge-probe.again': 'Measure again',
  'judge-probe.start.title':
    'Asks {model} about {items, number} items with known answers; takes minutes to hours',
} as const;
