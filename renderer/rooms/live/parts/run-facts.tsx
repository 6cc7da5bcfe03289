import type { ReactNode } from 'react';
import { PHASES, type RunRecord, type SaidAndWas } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  bytesText,
  Code,
  CopyButton,
  durationText,
  Group,
  percentText,
  reviewerText,
  Table,
  When,
} from '../../../ui/index.ts';
import { reviewCount, type Timeline } from '../model/timeline.ts';

type OverviewFactsProps = {
  run: RunRecord;
  timeline: Timeline;
  checkpoints: { count: number; bytes: number } | null;
  keptSteps: readonly number[];
  /** What its steps were said to take beside what they took; null where nothing was said. */
  told: SaidAndWas | null;
};

/** What the run is and what it came to, in words and numbers. */
export function OverviewFacts({ run, timeline, checkpoints, keptSteps, told }: OverviewFactsProps) {
  const t = useTranslate();
  const { config } = run;
  const total = (name: string): number =>
    (timeline.timings[name] ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const isSupervised = PHASES.some((phase) => config.supervision.phases[phase] > 0);
  const rows: [string, ReactNode][] = [
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
          ] as [string, ReactNode],
        ]),
    [
      t('live.overview.hidden'),
      total('supervise') === 0
        ? '–'
        : `${percentText(total('supervise_hidden') / total('supervise'), 0)} (${durationText(total('supervise_hidden'))})`,
    ],
    [
      t('live.overview.records'),
      // Without what was measured along the steps nothing can be counted.
      timeline.steps.length > 0 && Object.keys(timeline.metrics).length === 0
        ? '–'
        : reviewCount(timeline).toLocaleString('en'),
    ],
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
