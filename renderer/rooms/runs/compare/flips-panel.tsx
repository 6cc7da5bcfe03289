import { useState } from 'react';
import type { ChartTable } from '../../../charts/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  CsvButton,
  Group,
  NativeSelect,
  Quiet,
  Table,
  Text,
  visibleString,
} from '../../../ui/index.ts';
import { pointsText } from '../parts/run-cells.tsx';

type FlipsShown = {
  hazardous: boolean;
  n: number;
  counts: { onlyFirst: number; onlySecond: number };
  difference: number;
  interval: { low: number; high: number };
  detectable: number | null;
  p: number;
  items: {
    itemId: string;
    question: string | null;
    gained: boolean;
    before: { text: string; reason: string | null };
    after: { text: string; reason: string | null };
  }[];
};

type FlipsPanelProps = {
  suites: readonly string[];
  suite: string | null;
  onSuite: (suite: string) => void;
  others: readonly { id: string; name: string }[];
  against: string | null;
  onAgainst: (id: string) => void;
  names: { before: string; after: string };
  flips: FlipsShown | null;
};

const percentPoints = (share: number): string => pointsText(share * 100);

/** Single answers on which the baseline and another run disagree: losses first. */
export function FlipsPanel({
  suites,
  suite,
  onSuite,
  others,
  against,
  onAgainst,
  names,
  flips,
}: FlipsPanelProps) {
  const t = useTranslate();
  const [isRevealed, setRevealed] = useState(false);
  const isHidden = flips?.hazardous === true && !isRevealed;
  const words = (text: string): string => (isHidden ? t('compare.flips.hidden') : visibleString(text));
  if (suites.length === 0)
    return (
      <section className="compare-block">
        <h2>{t('compare.flips')}</h2>
        <Quiet>{t('compare.flips.no')}</Quiet>
      </section>
    );
  return (
    <section className="compare-block">
      <h2>
        {t('compare.flips')}{' '}
        {flips !== null && flips.items.length > 0 && !isHidden && (
          <CsvButton
            title={`${t('compare.flips')} ${suite ?? ''}`}
            table={() => flipsTable(t, flips, names)}
          />
        )}
      </h2>
      <Group gap="sm" mb={6}>
        <NativeSelect
          size="xs"
          label={t('compare.flips.suite')}
          value={suite ?? ''}
          data={[...suites]}
          onChange={(event) => onSuite(event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          label={t('compare.flips.against')}
          value={against ?? ''}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => onAgainst(event.currentTarget.value)}
        />
      </Group>
      {flips !== null && (
        <>
          <Text size="sm" mb={6} className="numbers">
            {t('compare.flips.text', {
              gained: flips.counts.onlySecond,
              lost: flips.counts.onlyFirst,
              n: flips.n,
              change: percentPoints(flips.difference),
              low: percentPoints(flips.interval.low),
              high: percentPoints(flips.interval.high),
              p: flips.p < 0.001 ? '< 0.001' : flips.p.toFixed(3),
              detectable:
                flips.detectable === null
                  ? t('compare.flips.tooFew')
                  : t('compare.flips.detectable', { points: (100 * flips.detectable).toFixed(1) }),
            })}
          </Text>
          {flips.hazardous && flips.items.length > 0 && (
            <Button size="compact-xs" variant="default" mb={6} onClick={() => setRevealed(!isRevealed)}>
              {t(isRevealed ? 'compare.flips.hide' : 'compare.flips.reveal')}
            </Button>
          )}
          {flips.items.length === 0 ? (
            <Quiet>{t('compare.flips.none')}</Quiet>
          ) : (
            <div className="compare-scroll">
              <Table verticalSpacing={3} fz={13} className="compare-table">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('compare.flips.item')}</Table.Th>
                    <Table.Th>{t('compare.flips.question')}</Table.Th>
                    <Table.Th>{t('compare.flips.before', { name: names.before })}</Table.Th>
                    <Table.Th>{t('compare.flips.after', { name: names.after })}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {flips.items.map(({ itemId, question, gained, before, after }) => (
                    <Table.Tr key={itemId}>
                      <Table.Th scope="row">
                        {itemId}
                        <span className="runs-change" data-tone={gained ? 'good' : 'bad'}>
                          {' '}
                          {gained ? '▲' : '▼'} {t(gained ? 'compare.flips.gained' : 'compare.flips.lost')}
                        </span>
                      </Table.Th>
                      <Table.Td className="compare-answer">
                        {question === null ? t('compare.flips.noQuestion') : words(question)}
                      </Table.Td>
                      {[before, after].map(({ text, reason }, index) => (
                        <Table.Td key={index === 0 ? 'before' : 'after'} className="compare-answer">
                          <Quiet size="xs">
                            {t((index === 1) === gained ? 'compare.flips.passed' : 'compare.flips.failed')}
                            {reason !== null && `: ${visibleString(reason)}`}
                          </Quiet>
                          {words(text)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )}
        </>
      )}
    </section>
  );
}

/** Hazardous texts are saved only once somebody asked to see them. */
function flipsTable(t: Translate, { items }: FlipsShown, names: FlipsPanelProps['names']): ChartTable {
  return {
    columns: [
      t('compare.flips.item'),
      t('compare.flips.change'),
      t('compare.flips.question'),
      t('compare.flips.before', { name: names.before }),
      t('compare.flips.after', { name: names.after }),
    ],
    rows: items.map(({ itemId, gained, question, before, after }) => [
      itemId,
      t(gained ? 'compare.flips.gained' : 'compare.flips.lost'),
      question,
      before.text,
      after.text,
    ]),
  };
}
