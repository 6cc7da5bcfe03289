import { useState } from 'react';
import {
  knowsAgreementOnly,
  type CheckpointScore,
  PHASES,
  type RunRecord,
  type SaidAndWas,
  type StageSpan,
  type Tripped,
  viewOf,
} from '../../../electron/contract/index.ts';
import { type Bar, Bars, type CurveRange, secondsByStage } from '../../charts/index.ts';
import { api, readableFailure, useApiQuery, useVerification } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  bytesText,
  Code,
  CopyButton,
  CsvButton,
  Duration,
  durationText,
  Group,
  issueText,
  Num,
  percentText,
  PhaseChip,
  QueryState,
  reviewerText,
  Table,
  When,
  VerificationPanel,
} from '../../ui/index.ts';
import { Findings } from './findings.tsx';
import { newestScores } from './model/curves.ts';
import { SystemCurves } from './parts/system-panel.tsx';
import { type Cost, costsTable } from './model/tables.ts';
import { ALL_PARTS, quantile, reviewCount, type Timeline, timelineCells } from './model/timeline.ts';

const MOST_ISSUES = 10;

/** What a run is and what it came to. */
export function Overview({
  run,
  spans,
  timeline,
  scores,
  tripped,
}: {
  run: RunRecord;
  /** Of the run's schedule; empty where all its steps are alike. */
  spans: readonly StageSpan[];
  timeline: Timeline;
  scores: readonly CheckpointScore[];
  tripped: readonly Tripped[];
}) {
  const t = useTranslate();
  const runId = run.id;
  const costs = useApiQuery('records.supervisionCost', api.records.supervisionCost, { runId });
  const issues = useApiQuery('records.issueCounts', api.records.issueCounts, { runId });
  const findings = useApiQuery('records.findings', api.records.findings, { runId });
  const checkpoints = useApiQuery('runs.checkpoints', api.runs.checkpoints, { runId });
  const kept = useApiQuery('live.keptCheckpoints', api.live.keptCheckpoints, { runId });
  const told = useApiQuery('live.saidAndWas', api.live.saidAndWas, {
    runId,
    committedSteps: run.committedSteps,
  });
  const verification = useVerification({ runId });
  const [range, setRange] = useState<CurveRange | null>(null);
  const counts = new Map<string, number>();
  for (const { issue, count } of issues.data ?? []) counts.set(issue, (counts.get(issue) ?? 0) + count);
  const issueBars: Bar[] = [...counts.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_ISSUES)
    .map(([issue, count]) => ({ id: issue, label: issueText(t, issue), value: count }));
  const { step, bars } = newestScores(scores, t);
  const stages = secondsByStage(
    spans,
    viewOf(run.config.framework.name).stages,
    timeline.steps.map((at, place) => ({ step: at, seconds: timeline.timings['step']?.[place] ?? 0 })),
  );
  return (
    <div className="live-overview">
      <div className="live-stack">
        {tripped.length > 0 && (
          <section className="live-card" aria-label={t('live.overview.tripped')}>
            <h2>{t('live.overview.tripped')}</h2>
            <ul className="live-tripped">
              {tripped.map(({ evaluationId, said }) => (
                <li key={`${evaluationId} ${said}`}>{said}</li>
              ))}
            </ul>
          </section>
        )}
        <OverviewFacts
          run={run}
          timeline={timeline}
          keptSteps={kept.data ?? []}
          told={told.data ?? null}
          checkpoints={
            checkpoints.data === undefined
              ? null
              : {
                  count: checkpoints.data.length,
                  bytes: checkpoints.data.reduce((sum, { bytes }) => sum + bytes, 0),
                }
          }
        />
        {timeline.steps.length > 0 && (
          <Bars
            title={t('live.overview.parts')}
            bars={partBars(timeline).map((bar) => ({ ...bar, label: t(`live.part.${bar.part}`) }))}
            columns={[t('live.overview.part'), t('live.overview.cost.seconds')]}
            format={durationText}
          />
        )}
        {stages.length > 0 && (
          <Bars
            title={t('live.overview.stages')}
            bars={stages.map(({ stage: { name, letter, label }, seconds, share }, color) => ({
              id: name,
              label: `${letter}, ${label} (${percentText(share, 0)})`,
              value: seconds,
              color,
            }))}
            columns={[t('live.stages.stage'), t('live.stages.seconds')]}
            format={durationText}
          />
        )}
      </div>
      <div className="live-stack">
        <QueryState read={costs} problemOf={readableFailure}>
          {(data) => <SupervisionCost costs={data} />}
        </QueryState>
        {bars.length > 0 && (
          <Bars
            title={`${t('live.overview.scores')} (${t('live.feed.step', { step: step ?? 0 })})`}
            bars={bars}
            most={1}
            columns={[t('live.overview.suite'), t('live.overview.share')]}
            format={(value) => percentText(value, 0)}
            note={t('live.overview.scores.note')}
          />
        )}
        {issueBars.length > 0 && (
          <Bars
            title={t('live.overview.issues')}
            bars={issueBars}
            columns={[t('live.overview.issue'), t('live.overview.cost.reviews')]}
            format={(value) => value.toLocaleString('en')}
          />
        )}
        <QueryState read={findings} problemOf={readableFailure}>
          {(data) => <Findings findings={data} byAgreement={knowsAgreementOnly(run.config.framework.name)} />}
        </QueryState>
        <section className="live-card" aria-label={t('verify.title')}>
          <h2>{t('verify.title')}</h2>
          <VerificationPanel text={t('verify.text.run')} {...verification} />
        </section>
      </div>
      <SystemCurves
        runId={runId}
        committedSteps={run.committedSteps}
        syncKey={`overview ${runId}`}
        range={range}
        onRange={setRange}
      />
    </div>
  );
}

/** Median seconds of each sub-phase over all steps, in the order they are taken; what took less than half a hundredth is left out. */
function partBars(timeline: Timeline) {
  const cells = timelineCells(timeline, timeline.steps.length);
  return ALL_PARTS.map((part, color) => ({
    id: part,
    part,
    color: Math.min(color, 7),
    value: quantile(
      cells.map(({ parts }) => parts[part]).sort((a, b) => a - b),
      0.5,
    ),
  })).filter(
    ({ value }, _, all) => value >= 0.005 * all.reduce((sum, bar) => sum + bar.value, 0) && value > 0,
  );
}

type OverviewFactsProps = {
  run: RunRecord;
  timeline: Timeline;
  checkpoints: { count: number; bytes: number } | null;
  keptSteps: readonly number[];
  /** What its steps were said to take beside what they took; null where nothing was said. */
  told: SaidAndWas | null;
};

/** What the run is and what it came to, in words and numbers. */
function OverviewFacts({ run, timeline, checkpoints, keptSteps, told }: OverviewFactsProps) {
  const t = useTranslate();
  const { config } = run;
  const total = (name: string): number =>
    (timeline.timings[name] ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const isSupervised = PHASES.some((phase) => config.supervision.phases[phase] > 0);
  const rows: [string, React.ReactNode][] = [
    [t('live.overview.created'), <When key="when" iso={run.createdAt} />],
    [t('live.overview.preset'), config.preset],
    [t('live.overview.framework'), t(`framework.${config.framework.name}`)],
    [t('live.overview.model'), nameOf(config.policy.model)],
    [
      t('live.overview.reviewer'),
      isSupervised
        ? reviewerText(
            t,
            config.supervision.reviewer,
            config.supervision.reviewer === 'llama' ? nameOf(config.supervision.model) : null,
          )
        : t('live.overview.noReviewer'),
    ],
    [
      t('live.overview.phases'),
      PHASES.map((phase) => `${t(`phase.${phase}.short`)} ${config.supervision.phases[phase]}`).join(' · '),
    ],
    [t('live.overview.seed'), String(config.seed)],
    [t('live.overview.time'), durationText(total('step'))],
    ...(told === null || told.steps === 0
      ? []
      : [
          [
            t('live.overview.said'),
            <SaidWas key="said" told={told} asksPerson={(config.supervision.human?.share ?? 0) > 0} />,
          ] as [string, React.ReactNode],
        ]),
    [
      t('live.overview.hidden'),
      total('supervise') === 0
        ? '–'
        : `${percentText(total('supervise_hidden') / total('supervise'), 0)} (${durationText(total('supervise_hidden'))})`,
    ],
    [t('live.overview.records'), reviewCount(timeline).toLocaleString('en')],
    [
      t('live.overview.checkpoints'),
      checkpoints === null
        ? '–'
        : `${checkpoints.count} (${bytesText(checkpoints.bytes)})${keptSteps.map((step) => `, ${t('live.isKept', { step })}`).join('')}`,
    ],
  ];
  const command = `anchor show ${run.id}`;
  return (
    <section className="live-card" aria-label={t('live.overview.facts')}>
      <h2>{t('live.overview.facts')}</h2>
      <Table verticalSpacing={3} fz="sm" className="numbers">
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={190} fw={500}>
                {name}
              </Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row" fw={500}>
              {t('live.overview.command')}
            </Table.Th>
            <Table.Td>
              <Group gap={8}>
                <Code>{command}</Code>
                <CopyButton text={command} />
              </Group>
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Said and was, each with how busy the machine was. */
export function SaidWas({ told, asksPerson }: { told: SaidAndWas; asksPerson: boolean }) {
  const t = useTranslate();
  const { steps, of, said, was, measuredUnder, saidUnder, tookUnder } = told;
  const [low, high] = [durationText(said.low), durationText(said.high)];
  const cores = saidUnder?.cores ?? measuredUnder?.cores ?? null;
  const loads = [
    measuredUnder === null
      ? null
      : t('live.overview.load.measured', { others: measuredUnder.others.toFixed(1) }),
    saidUnder === null ? null : t('live.overview.load.said', { others: saidUnder.others.toFixed(1) }),
    tookUnder === null ? null : t('live.overview.load.took', { others: tookUnder.toFixed(1) }),
  ].filter((load) => load !== null);
  return (
    <>
      {t('live.overview.saidWas', {
        said: low === high ? low : `${low}–${high}`,
        was: durationText(was),
        part: steps < of ? 'some' : 'all',
        steps,
        of,
      })}
      {loads.length > 0 && cores !== null && (
        <span className="live-quiet">
          <br />
          {t('live.overview.load', { cores, loads: loads.join(', ') })}
        </span>
      )}
      {asksPerson && (
        <span className="live-quiet">
          <br />
          {t('live.overview.saidWas.person')}
        </span>
      )}
    </>
  );
}

/** A model by its name; of a path, the last part. */
const nameOf = (model: string): string => model.split(/[/\\]/).findLast((part) => part !== '') ?? model;

/** A reviewer that goes by rules asks no model, and nobody measures its time: both are stored as 0. */
const isAsked = ({ tokensIn, tokensOut }: { tokensIn: number; tokensOut: number }): boolean =>
  tokensIn + tokensOut > 0;
const isTimed = ({ seconds }: { seconds: number }): boolean => seconds > 0;

/** Reviews, tokens and time by phase. */
export function SupervisionCost({ costs }: { costs: readonly Cost[] }) {
  const t = useTranslate();
  const rows = PHASES.map((phase) => {
    const own = costs.filter((cost) => cost.phase === phase && !cost.byPerson);
    const sum = (of: 'reviews' | 'retries' | 'tokensIn' | 'tokensOut' | 'milliseconds', from = own): number =>
      from.reduce((all, cost) => all + cost[of], 0);
    return {
      phase,
      reviews: sum('reviews'),
      retries: sum('retries'),
      tokensIn: sum('tokensIn'),
      tokensOut: sum('tokensOut'),
      seconds: sum('milliseconds') / 1000,
      lost: sum(
        'reviews',
        own.filter(({ status }) => status !== 'done'),
      ),
    };
  }).filter(({ reviews }) => reviews > 0);
  const ofPerson = costs.filter(({ byPerson }) => byPerson);
  const answered = ofPerson.reduce((all, { reviews }) => all + reviews, 0);
  const took = ofPerson.reduce((all, { milliseconds }) => all + milliseconds, 0) / 1000;
  return (
    <section className="live-card" aria-label={t('live.overview.cost')}>
      <h2>
        {t('live.overview.cost')}{' '}
        {costs.length > 0 && <CsvButton title={t('live.overview.cost')} table={() => costsTable(costs)} />}
      </h2>
      {answered > 0 && (
        <p className="live-quiet numbers">
          {t('live.overview.cost.person', { n: answered, each: durationText(took / answered) })}
        </p>
      )}
      {rows.length === 0 ? (
        answered === 0 && <p className="live-quiet">{t('live.overview.noCost')}</p>
      ) : (
        <Table verticalSpacing={3} horizontalSpacing={6} fz="sm" className="numbers">
          <Table.Thead>
            <Table.Tr>
              {(['phase', 'reviews', 'retries', 'tokens', 'seconds', 'each', 'lost'] as const).map(
                (column) => (
                  <Table.Th key={column} ta={column === 'phase' ? 'start' : 'end'}>
                    {t(`live.overview.cost.${column}`)}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.phase}>
                <Table.Td>
                  <PhaseChip phase={row.phase} short />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.reviews} />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.retries} />
                </Table.Td>
                <Table.Td ta="end">
                  {isAsked(row) ? (
                    <span style={{ whiteSpace: 'nowrap' }}>
                      <Num value={row.tokensIn} /> / <Num value={row.tokensOut} />
                    </span>
                  ) : (
                    '–'
                  )}
                </Table.Td>
                <Table.Td ta="end">
                  <Duration seconds={isTimed(row) ? row.seconds : null} />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={isTimed(row) ? row.seconds / row.reviews : null} digits={2} unit="s" />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.lost} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {rows.length > 0 && (
        <p className="live-quiet">
          {t('live.overview.cost.note')}
          {rows.some((row) => !isAsked(row)) && ` ${t('live.overview.cost.byRule')}`}
        </p>
      )}
    </section>
  );
}
