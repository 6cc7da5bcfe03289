import type { RunRecord } from '../../../../electron/contract/index.ts';
import { PHASES } from '../../../../electron/contract/index.ts';
import {
  bytesText,
  Code,
  CopyButton,
  durationText,
  Group,
  percentText,
  Table,
  When,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { Course } from '../model/course.ts';

type OverviewFactsProps = {
  run: RunRecord;
  course: Course;
  checkpoints: { count: number; bytes: number } | null;
  keptSteps: readonly number[];
};

/** What the run is and what it came to, in words and numbers. */
export function OverviewFacts({ run, course, checkpoints, keptSteps }: OverviewFactsProps) {
  const t = useTranslate();
  const { config } = run;
  const total = (name: string): number =>
    (course.timings[name] ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const isSupervised = PHASES.some((phase) => config.supervision.phases[phase] > 0);
  const rows: [string, React.ReactNode][] = [
    [t('live.overview.created'), <When key="when" iso={run.createdAt} />],
    [t('live.overview.preset'), config.preset],
    [t('live.overview.framework'), config.framework],
    [t('live.overview.model'), nameOf(config.policy.model)],
    [
      t('live.overview.reviewer'),
      isSupervised
        ? `${config.supervision.reviewer}${config.supervision.reviewer === 'llama' ? ` (${nameOf(config.supervision.model)})` : ''}`
        : t('live.overview.noReviewer'),
    ],
    [
      t('live.overview.phases'),
      PHASES.map((phase) => `${t(`phase.${phase}.short`)} ${config.supervision.phases[phase]}`).join(' · '),
    ],
    [t('live.overview.seed'), String(config.seed)],
    [t('live.overview.time'), durationText(total('step'))],
    [
      t('live.overview.hidden'),
      total('supervise') === 0
        ? '–'
        : `${percentText(total('supervise_hidden') / total('supervise'), 0)} (${durationText(total('supervise_hidden'))})`,
    ],
    [t('live.overview.records'), course.reviews.reduce((sum, each) => sum + each, 0).toLocaleString('en')],
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
              <Table.Th scope="row" w={210} fw={500}>
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
              <Group gap={8} wrap="nowrap">
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

/** A model by its name; of a path, the last part. */
const nameOf = (model: string): string => model.split(/[/\\]/).findLast((part) => part !== '') ?? model;
