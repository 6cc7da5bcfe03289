/** Figures: curves, bars and dots of every room. */
export const chartsMessages = {
  'figure.keys':
    'Arrow keys move along the curve, Home and End go to its ends, plus and minus change the part shown, 0 shows all of it, t shows the numbers as a table.',
  'figure.kind.curve': 'curve',
  'figure.at': '{xLabel} {x}: {values}',
  'figure.value': '{label} {value}',
  'figure.noValue': '{label}: no value',
  'figure.nothingAt': '{xLabel} {x}: no value',
  'figure.jump': 'Jump to now',
  'figure.whole': 'Show all',
  'figure.nothing': 'No values to draw',
  'figure.table': 'Show as a table',
  'figure.plot': 'Show as a figure',
  'figure.export': 'Save or copy this figure',
  'figure.export.svg': 'Save as SVG',
  'figure.export.csv': 'Save as CSV',
  'figure.export.copy': 'Copy the numbers as CSV',
  'figure.smoothing': 'Smoothing {value}',
  'figure.smoothing.short': 'EMA {value}',
  'figure.smoothing.text':
    'Moving average over the whole course; the measured values stay as a pale line. Scores of checkpoints and counts are never smoothed.',
  'figure.smoothing.value': 'Smoothing, 0 to 0.99',
  'figure.rows': '{from, number}–{to, number} of {total, number}',
  'figure.rows.newer': 'Newer rows',
  'figure.rows.older': 'Older rows',
  'figure.show': 'Show {label}',
} as const;
