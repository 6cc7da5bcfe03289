import type { ReactNode } from 'react';
import type { CsvTable } from '../../../electron/contract/index.ts';
import { api, type Api, readableFailure, useApiQuery } from '../../data/index.ts';
import { type Translate, useTranslate } from '../../i18n/index.ts';
import {
  Code,
  CsvButton,
  numberText,
  percentText,
  QueryState,
  type Read,
  SegmentedControl,
  Table,
} from '../../ui/index.ts';
import { LineCauses, LineWording } from './line-origins.tsx';
import { isFixed, type LineLife } from './lines.ts';

export const WINDOWS = [3, 5, 10] as const;
type LineDetailProps = {
  runId: string;
  line: LineLife;
  newestContext: number;
  steps: number;
  onSteps: (steps: number) => void;
};

/** Everything that is known of one line: when, from where, and what happened around it. */
export function LineDetail({ runId, line, newestContext, steps, onSteps }: LineDetailProps) {
  const t = useTranslate();
  const lineage = useApiQuery('contexts.lineage', api.contexts.lineage, { runId, lineId: line.id });
  const hasBothSides = (at: number | undefined): boolean => at !== undefined && at > 1 && at < newestContext;
  const entered = useApiQuery(
    'contexts.around',
    api.contexts.around,
    { runId, at: line.firstContext, window: steps },
    { enabled: hasBothSides(line.firstContext) },
  );
  const gone = useApiQuery(
    'contexts.around',
    api.contexts.around,
    { runId, at: line.left?.context ?? 1, window: steps },
    { enabled: hasBothSides(line.left?.context) },
  );
  return (
    <section className="ctx-detail" aria-label={t('contexts.detail', { id: line.id })}>
      <h2 className="ctx-line">{line.text}</h2>
      <LineFacts line={line} />
      {!isFixed(line) && <LineWording runId={runId} line={line} />}
      <h3>{t('contexts.causes')}</h3>
      {isFixed(line) ? (
        <p className="ctx-quiet">{t('contexts.causes.fixed')}</p>
      ) : (
        <QueryState read={lineage} problemOf={readableFailure}>
          {(found) => (
            <LineCauses
              runId={runId}
              causes={found?.causes ?? []}
              isCut={(found?.causes.length ?? 0) < line.sources}
            />
          )}
        </QueryState>
      )}
      <div className="ctx-effect-head">
        <span id="ctx-window">{t('contexts.effect.window')}</span>
        <SegmentedControl
          size="xs"
          aria-labelledby="ctx-window"
          value={String(steps)}
          onChange={(value) => onSteps(Number(value))}
          data={WINDOWS.map(String)}
        />
      </div>
      {line.firstContext > 1 && (
        <EffectOf
          title={t('contexts.effect.enter')}
          line={line.id}
          read={hasBothSides(line.firstContext) ? entered : null}
        />
      )}
      {line.left !== null && (
        <EffectOf
          title={t('contexts.effect.leave')}
          line={line.id}
          read={hasBothSides(line.left.context) ? gone : null}
        />
      )}
      <p className="ctx-quiet">{t('contexts.effect.caution')}</p>
    </section>
  );
}

/** When the line was there, how it came and why it went. */
export function LineFacts({ line }: { line: LineLife }) {
  const t = useTranslate();
  const { firstContext: first, lastContext: last, left, support, sources, key } = line;
  const rows: [string, ReactNode][] = [
    [
      t('contexts.detail.entered'),
      isFixed(line) ? t('contexts.detail.fixed') : t('contexts.detail.enteredBy', { step: first - 1 }),
    ],
    [
      t('contexts.detail.seen'),
      t('contexts.detail.steps', { first, last, same: first === last ? 'yes' : 'no' }),
    ],
    [
      t('contexts.detail.left'),
      left === null
        ? t('contexts.detail.there')
        : t('contexts.detail.leftAfter', {
            step: left.context - 1,
            reason: t(`contexts.reason.${left.reason}`),
          }),
    ],
    ...(isFixed(line)
      ? []
      : [
          [t('contexts.detail.support'), t('contexts.detail.supportText', { support, sources })] as [
            string,
            string,
          ],
        ]),
    ...(key === null
      ? []
      : [[t('contexts.detail.key'), <Code key="key">{key}</Code>] as [string, ReactNode]]),
  ];
  return (
    <Table verticalSpacing={2} fz="sm" className="numbers">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={120} fw={500}>
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Around = Awaited<ReturnType<Api['contexts']['around']['query']>>[number];
type EffectProps = {
  title: string;
  /** The line's id, for the name of a saved file. */
  line: string;
};

/** What happened around a change of the context; null where there are no steps on both sides of it to ask for. */
function EffectOf({ read, ...named }: EffectProps & { read: Read<readonly Around[]> | null }) {
  if (read === null) return <LineEffect {...named} around={[]} />;
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(around) => <LineEffect {...named} around={around} />}
    </QueryState>
  );
}

type Outcomes = NonNullable<Around['before']>;
type Change = NonNullable<Around['passChange']>;

/** Roles that have a word; any other is shown by its name. */
const WORDED_ROLES = ['proposer', 'solver', 'assistant'] as const;

const MEASURES = [
  { id: 'passed', change: 'passChange', column: 'passed' },
  { id: 'satisfied', change: 'satisfiedChange', column: 'users_satisfied' },
  { id: 'formatFailures', change: 'formatFailureChange', column: 'format_failures' },
] as const;
type MeasureId = (typeof MEASURES)[number]['id'];

/** What was measured of a role: answers that a user rated were verified by nobody, and no user rates the others. */
const measuresOf = ({ before, after }: Around) =>
  MEASURES.filter(({ id }) => [before, after].some((side) => side !== null && side[id] !== null));

/** What the steps before and after a change of the context came to, as counts with n. */
export function LineEffect({ title, line, around }: EffectProps & { around: readonly Around[] }) {
  const t = useTranslate();
  const rows = around.filter(({ before, after }) => before !== null && after !== null);
  return (
    <section aria-label={title}>
      <h3>
        {title} {rows.length > 0 && <CsvButton title={`${line} ${title}`} table={() => effectTable(rows)} />}
      </h3>
      {rows.length === 0 ? (
        <p className="ctx-quiet">{t('contexts.effect.nothing')}</p>
      ) : (
        <Table verticalSpacing={2} horizontalSpacing={5} fz="xs" className="numbers ctx-effect">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('contexts.effect.role')}</Table.Th>
              <Table.Th>{t('contexts.effect.measure')}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.steps', stepsOf(rows, 'before'))}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.steps', stepsOf(rows, 'after'))}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.change')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.flatMap((row) =>
              measuresOf(row).map(({ id, change }, place) => (
                <Table.Tr key={`${row.role} ${id}`}>
                  <Table.Td>{place === 0 ? roleText(t, row.role) : ''}</Table.Td>
                  <Table.Td>{t(`contexts.effect.${id}`)}</Table.Td>
                  <Table.Td ta="end">{shareText(t, row.before, id)}</Table.Td>
                  <Table.Td ta="end">{shareText(t, row.after, id)}</Table.Td>
                  <Table.Td ta="end">{changeText(row[change])}</Table.Td>
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

/** The same as numbers: a row for each role and measure, shares and changes between 0 and 1. */
export const effectTable = (rows: readonly Around[]): CsvTable => ({
  columns: [
    'role',
    'measure',
    ...['before', 'after'].flatMap((side) =>
      ['from_step', 'to_step', 'n', 'share'].map((what) => `${side}_${what}`),
    ),
    'change',
    'change_low',
    'change_high',
  ],
  rows: rows.flatMap((row) =>
    measuresOf(row).map(({ id, change, column }) => [
      row.role,
      column,
      ...[row.before, row.after].flatMap((side) =>
        side === null ? [null, null, null, null] : [side.fromStep, side.toStep, side.n, shareOf(side, id)],
      ),
      row[change]?.difference,
      row[change]?.low,
      row[change]?.high,
    ]),
  ),
});

function shareOf(outcomes: Outcomes, of: MeasureId): number | null {
  const count = outcomes[of];
  return count === null || outcomes.n === 0 ? null : count / outcomes.n;
}

function shareText(t: Translate, outcomes: Outcomes | null, of: MeasureId): string {
  if (outcomes === null) return t('contexts.effect.none');
  return `${percentText(shareOf(outcomes, of))} (${t('common.n', { n: outcomes.n })})`;
}

/** First and last step of one side, over all roles. */
function stepsOf(rows: readonly Around[], side: 'before' | 'after') {
  const outcomes = rows.flatMap((row) => row[side] ?? []);
  const from = Math.min(...outcomes.map(({ fromStep }) => fromStep));
  const to = Math.max(...outcomes.map(({ toStep }) => toStep));
  return { from, to, same: from === to ? 'yes' : 'no' };
}

function roleText(t: Translate, role: string): string {
  const worded = WORDED_ROLES.find((each) => each === role);
  return worded === undefined ? role : t(`live.role.${worded}`);
}

/** Percentage points with sign and interval. */
function changeText(change: Change | null): string {
  if (change === null) return '–';
  const points = (share: number): string => numberText(share * 100, 1, 'both');
  return `${points(change.difference)} [${points(change.low)}, ${points(change.high)}]`;
}
