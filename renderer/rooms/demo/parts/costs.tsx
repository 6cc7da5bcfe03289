import type { CsvTable } from '../../../../electron/contract/index.ts';
import { Bars } from '../../../charts/index.ts';
import { api, notify, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  CsvButton,
  durationText,
  Group,
  QueryState,
  Quiet,
  Table,
  useRoomNavigate,
} from '../../../ui/index.ts';
import type { Costs, Pair } from '../model.ts';
import { DeleteSample } from '../play-bar.tsx';

/** What supervision cost, what it gained and what it took, and who is in control. */
export function CostsPart({ pair, isSample, present }: { pair: Pair; isSample: boolean; present: boolean }) {
  const t = useTranslate();
  const costs = useApiQuery('evaluations.costs', api.demo.costs, pair);
  return (
    <QueryState read={costs} problemOf={readableFailure}>
      {(found) => (
        <div className="demo-costs">
          <section aria-label={t('demo.costs.price')}>
            <Contrasts contrasts={found.contrasts} enlarged={present ? PRESENTED : 1} />
            <ul className="demo-words">
              {found.contrasts.map((contrast) => (
                <li key={contrast.suite}>{contrastSentence(t, contrast)}</li>
              ))}
            </ul>
          </section>
          <section aria-label={t('demo.costs.work')}>
            <h2>
              {t('demo.costs.work')} <CsvButton title={t('demo.costs.work')} table={() => workTable(found)} />
            </h2>
            <Work costs={found} />
            <h2>{t('demo.costs.controls')}</h2>
            <Quiet size="sm">{t('demo.costs.controls.text')}</Quiet>
            <AirGap />
            {isSample && <DeleteSample onDeleted={() => notify(t('tour.deleted'))} />}
          </section>
        </div>
      )}
    </QueryState>
  );
}

/** How much larger the bars are where they are presented. */
const PRESENTED = 1.4;

const points = (share: number): string =>
  `${share > 0 ? '+' : share < 0 ? '−' : '±'}${Math.abs(100 * share).toFixed(0)}`;

function Contrasts({ contrasts, enlarged }: Pick<Costs, 'contrasts'> & { enlarged: number }) {
  const t = useTranslate();
  if (contrasts.length === 0) return <Quiet>{t('demo.costs.none')}</Quiet>;
  return (
    <Bars
      title={t('demo.costs.price')}
      note={t('demo.costs.price.note', { step: contrasts[0]?.step ?? 0, n: contrasts[0]?.common ?? 0 })}
      bars={contrasts.map(({ suite, kind, measures, difference, low, high }) => ({
        id: suite,
        label: trackLabel(t, { kind, measures }),
        value: difference,
        low,
        high,
        color: kind === null ? 1 : 0,
      }))}
      columns={[t('demo.costs.suite'), t('demo.costs.points')]}
      format={(value) => points(value)}
      enlarged={enlarged}
    />
  );
}

/** A skill by what its suite counts: frameworks practise different ones. */
export function trackLabel(
  t: ReturnType<typeof useTranslate>,
  { kind, measures }: Pick<Costs['contrasts'][number], 'kind' | 'measures'>,
): string {
  return kind === null ? measures.charAt(0).toUpperCase() + measures.slice(1) : t(`demo.track.${kind}`);
}

/** A difference in words: what changed, by how much, and whether chance alone could have made it. */
export function contrastSentence(
  t: ReturnType<typeof useTranslate>,
  { kind, suite, measures, difference, low, high }: Costs['contrasts'][number],
): string {
  const isClear = low > 0 || high < 0;
  const rounded = Math.abs(100 * difference).toFixed(0);
  return t('demo.costs.sentence', {
    track: trackLabel(t, { kind, measures }),
    suite,
    points: rounded,
    way: rounded === '0' ? 'same' : difference > 0 ? 'more' : 'less',
    low: points(low),
    high: points(high),
    clear: isClear ? 'yes' : 'no',
  });
}

/** The same in numbers. `step_ratio`: a step of the supervised run against one of the other. */
export const workTable = ({
  reviews,
  tokens,
  reviewSeconds,
  hiddenSeconds,
  stepRatio,
  steps,
}: Omit<Costs, 'contrasts'>): CsvTable => ({
  columns: ['steps', 'reviews', 'tokens', 'review_time_s', 'hidden_time_s', 'step_ratio'],
  rows: [[steps, reviews, tokens, reviewSeconds, hiddenSeconds, stepRatio]],
});

function Work({
  costs: { reviews, tokens, reviewSeconds, hiddenSeconds, stepRatio, steps },
}: {
  costs: Costs;
}) {
  const t = useTranslate();
  const rows: [string, string][] = [
    [t('demo.costs.reviews'), t('demo.costs.reviews.value', { n: reviews, steps })],
    [t('demo.costs.tokens'), tokens.toLocaleString('en')],
    [t('demo.costs.seconds'), durationText(reviewSeconds)],
    [t('demo.costs.hidden'), durationText(hiddenSeconds)],
    [
      t('demo.costs.ratio'),
      Number.isFinite(stepRatio) ? t('demo.costs.ratio.value', { ratio: stepRatio.toFixed(2) }) : '–',
    ],
  ];
  return (
    <>
      <Table verticalSpacing={4} className="numbers">
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              <Table.Td ta="end">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Quiet size="xs">{t('demo.costs.ratio.note')}</Quiet>
    </>
  );
}

/** What was seen to reach out since the program began, and the way to whoever asks more. */
function AirGap() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const state = useApiQuery('airgap.state', api.airgap.state, undefined);
  return (
    <>
      <QueryState read={state} problemOf={readableFailure}>
        {({ watch, outside }) => {
          // Where the system does not tell who holds a socket, nothing was looked at.
          const seen = watch === null ? null : outside.length;
          return (
            <p className="demo-gap" data-tone={seen === 0 ? 'good' : seen === null ? 'plain' : 'bad'}>
              {seen === null ? t('demo.costs.gap.unknown') : t('demo.costs.gap', { n: seen })}
            </p>
          );
        }}
      </QueryState>
      <Group gap="sm">
        <Button onClick={() => navigate('/new')}>{t('demo.costs.new')}</Button>
        <Button variant="default" onClick={() => navigate('/settings', {}, { section: 'airgap' })}>
          {t('demo.costs.gap.open')}
        </Button>
      </Group>
    </>
  );
}
