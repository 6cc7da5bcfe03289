import { useState } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Banner,
  PhaseChip,
  QueryState,
  Quiet,
  Slider,
  Table,
  Text,
  visibleString,
} from '../../../ui/index.ts';
import { AnswerPair, useAsked } from '../answers.tsx';
import { answerAt, askedSteps, entersAt, type Answers, type Lines, type Shown } from '../model.ts';

/** Two things pulled away from the supervised run: its lines from the prompt, and its reviews from the lines. */
export function WhatIfPart(shown: Shown) {
  const t = useTranslate();
  const { pair } = shown;
  const lines = useApiQuery('contexts.storyLines', api.demo.lines, pair);
  return (
    <div className="demo-what-if">
      <section aria-label={t('demo.what-if.context')}>
        <h2>{t('demo.what-if.context')}</h2>
        <Quiet size="sm">{t('demo.what-if.context.text')}</Quiet>
        <ContextOnAndOff {...shown} />
      </section>
      <section aria-label={t('demo.what-if.p')}>
        <h2>{t('demo.what-if.p')}</h2>
        <Quiet size="sm">{t('demo.what-if.p.text')}</Quiet>
        <QueryState read={lines} problemOf={readableFailure}>
          {(found) => <GatedLines {...found} />}
        </QueryState>
      </section>
    </div>
  );
}

/** The chosen question once with nothing and once with the lines in the prompt, at the newest step that was asked both ways. */
function ContextOnAndOff(shown: Shown) {
  const t = useTranslate();
  const { questions, chosen, answers } = useAsked(shown);
  if (questions.data?.length === 0) return <Quiet>{t('demo.answers.none')}</Quiet>;
  return (
    <QueryState read={answers} problemOf={readableFailure}>
      {(found) => <BothWays {...shown} question={chosen?.question ?? ''} data={found} />}
    </QueryState>
  );
}

type BothWaysProps = Shown & { question: string; data: Answers };

function BothWays({ kind, question, data }: BothWaysProps) {
  const t = useTranslate();
  const step = askedSteps(data).findLast((at) => answerAt(data.supervised, at, true) !== null);
  if (step === undefined) return <Quiet>{t('demo.what-if.context.none')}</Quiet>;
  return (
    <>
      <p className="demo-asked">{visibleString(question)}</p>
      {[false, true].map((withContext) => (
        <div key={String(withContext)}>
          <Text size="sm" fw={600} mt="xs">
            {t(withContext ? 'demo.what-if.on' : 'demo.what-if.off', { step })}
          </Text>
          <AnswerPair
            answers={data}
            kind={kind}
            step={step}
            withContext={withContext}
            orPlain={!withContext}
          />
        </div>
      ))}
    </>
  );
}

/** Every line with the coins of the reviews that brought it in: a lower p leaves fewer reviews, and some lines without enough. */
function GatedLines({ p: recorded, lines }: Lines) {
  const t = useTranslate();
  const [p, setP] = useState(recorded);
  if (lines.length === 0) return <Quiet>{t('demo.what-if.p.none')}</Quiet>;
  const left = lines.filter((line) => entersAt(line, p)).length;
  return (
    <>
      <div role="presentation" className="demo-slider" onKeyDown={(event) => event.stopPropagation()}>
        <Text size="sm" className="numbers">
          {t('demo.what-if.p.value', { p: p.toFixed(2) })}
        </Text>
        <Slider
          value={p}
          min={0}
          max={recorded}
          step={0.01}
          onChange={setP}
          label={(value) => value.toFixed(2)}
          thumbLabel={t('demo.what-if.p.slider')}
          thumbProps={{ 'aria-valuetext': p.toFixed(2) }}
        />
      </div>
      <Text role="status" fw={600}>
        {t('demo.what-if.p.left', { left, n: lines.length })}
      </Text>
      <Table aria-label={t('demo.what-if.p')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('demo.what-if.line')}</Table.Th>
            <Table.Th>{t('demo.what-if.entered')}</Table.Th>
            <Table.Th>{t('demo.what-if.reviews')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={line.id} data-gone={!entersAt(line, p)} className="demo-gated">
              <Table.Td>{visibleString(line.text)}</Table.Td>
              <Table.Td className="numbers demo-since">
                {t('demo.step', { step: line.firstContext })}
              </Table.Td>
              <Table.Td>
                {line.coins.map(({ reviewId, phase, coin }) => (
                  <span
                    key={reviewId}
                    className="demo-coin"
                    data-gone={coin >= p}
                    title={t('demo.what-if.coin', { coin: coin.toFixed(2) })}
                  >
                    <PhaseChip phase={phase} short />
                  </span>
                ))}{' '}
                <Text span size="xs" c="var(--quiet)" className="numbers">
                  {t('demo.what-if.count', {
                    left: line.coins.filter(({ coin }) => coin < p).length,
                    n: line.coins.length,
                    needed: line.needed,
                  })}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {p < recorded && <Banner tone="plain">{t('demo.what-if.p.caution')}</Banner>}
    </>
  );
}
