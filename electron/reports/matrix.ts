import { figureOf, type EvaluationMatrix, type MatrixRequest } from '../contract/index.ts';
import { matrixOf, requireSummary, type EvaluationReads } from '../evaluation/index.ts';
import { barsSvg, type Bar } from '../figures/index.ts';
import { command, figures, paragraph, section, table, type CellText } from './page.ts';
import { SHARE } from './run-parts.ts';
import { changeText, intervalText, METHODS, scoreText } from './words.ts';

/** The sections of an evaluation matrix, made when they are asked for: its table, a figure for each share, the evaluations behind it. */
export function matrixSections(reads: EvaluationReads, request: MatrixRequest): (() => string)[] {
  const matrix = matrixOf(reads, { ...request, changes: true });
  return [
    () => tableSection(matrix),
    () => figuresSection(matrix),
    () => evaluationsSection(reads, matrix),
    () => repeatSection(request),
  ];
}

function tableSection({ columns, rows, warnings }: EvaluationMatrix): string {
  const methods = [
    ...new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.change?.method ?? []))),
  ];
  const labelOf = (key: string | null): string => columns.find((column) => column.key === key)?.label ?? '';
  return section(
    'Scores',
    paragraph(
      'Value [95 % interval], observations; Δ is the difference from the column that the head names. A person’s verdicts count in the place of a grader’s.',
    ),
    table(
      'Suites by policies',
      [
        'suite',
        ...columns.map(({ label, base }) => (base === null ? label : `${label} (Δ from ${labelOf(base)})`)),
      ],
      rows.map(({ label, better, unit, cells }) => [
        `${label}${{ higher: ' ↑', lower: ' ↓', neither: '' }[better]}`,
        ...cells.map((cell): CellText => {
          if (cell === null) return null;
          const { value, low, high, n } = figureOf(cell);
          if (value === null) return cell.why ?? 'no value';
          const marks = cell.marks.length === 0 ? '' : ` (${cell.marks.join(', ')})`;
          return `${scoreText(value, unit)}${intervalText(low, high, unit)}, n = ${n}${marks}${cell.change === null ? '' : `; Δ ${changeText(cell.change, unit)}`}`;
        }),
      ]),
    ),
    ...methods.map((method) => paragraph(`Differences ${METHODS[method]}.`)),
    ...columns
      .filter(({ withContext, emptyContext }) => withContext && emptyContext)
      .map(({ label }) =>
        paragraph(`${label}: the context had no line, so these are the figures of the weights alone.`),
      ),
    ...warnings.map(paragraph),
  );
}

const figuresSection = ({ columns, rows }: EvaluationMatrix): string =>
  section(
    'Figures',
    figures(
      rows
        .filter(({ unit, kind }) => unit === 'share' && kind !== 'score')
        .map(({ label, cells }) => {
          const bars = cells.flatMap((cell, index): Bar[] => {
            const { value = null, low = null, high = null } = cell === null ? {} : figureOf(cell);
            const column = columns[index];
            return value === null || column === undefined
              ? []
              : [
                  {
                    id: column.key,
                    label: column.label,
                    value,
                    ...(low === null || high === null ? {} : { low, high }),
                    color: index,
                  },
                ];
          });
          return bars.length === 0
            ? ''
            : barsSvg(label, bars, {
                name: SHARE,
                of: 'policy',
                most: 1,
                format: (value) => `${(100 * value).toFixed(0)} %`,
              });
        })
        .filter((svg) => svg !== ''),
    ),
  );

function evaluationsSection(reads: EvaluationReads, { rows }: EvaluationMatrix): string {
  const ids = [
    ...new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.evaluationIds ?? []))),
  ].sort();
  return section(
    'The evaluations behind it',
    table(
      'What was asked of whom, and how',
      [
        'evaluation',
        'subject',
        'SHA-256 of the weights',
        'suite (version)',
        'SHA-256 of the items',
        'protocol',
        'context',
        'judge',
        'items',
        'seed',
      ],
      ids.map((id) => {
        const { plan, weightsSha256, graded } = requireSummary(reads, id);
        return [
          id,
          plan.subject.label,
          weightsSha256,
          `${plan.suite} (${plan.suiteVersion})`,
          plan.source.sha256,
          `${plan.protocol.name} (${plan.protocol.version}), temperature ${plan.protocol.temperature}, prompts ${plan.protocol.promptPack ?? 'of the suite'}`,
          plan.context?.hash ?? 'none',
          plan.judge === null
            ? 'none'
            : `${plan.judge.name} ${plan.judge.sha256 ?? ''} (rubric ${plan.judge.promptVersion})`,
          graded,
          plan.seed,
        ];
      }),
    ),
  );
}

function repeatSection({ subjects, context, seed, limit }: MatrixRequest): string {
  const models = subjects
    .map((subject) => ` --model ${/^[\w:.@-]+$/.test(subject) ? subject : JSON.stringify(subject)}`)
    .join('');
  const given = [
    context == null ? '' : ` --context ${context}`,
    seed == null ? '' : ` --seed ${seed}`,
    limit == null ? '' : ` --limit ${limit}`,
  ].join('');
  return section(
    'How to repeat it',
    command([`anchor eval matrix${models}${given} --format html --to matrix.html`]),
  );
}
