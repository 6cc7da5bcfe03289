import { ChartFrame, escapeXml, printColor, seriesColor } from '../../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { durationText, QueryState, useElementSize } from '../../../ui/index.ts';
import { merged, reviewSeconds, type Inside } from '../model/inside.ts';
import { ALL_PARTS } from '../model/timeline.ts';

const LANE = 20;
const GAP = 6;
const LABELS = 92;
const HEIGHT = 3 * LANE + 2 * GAP;
const LEAST_WIDTH = 240;
/** An answer is a moment; its mark has to be seen. */
const MOMENT = 1;
/** Lanes share the colour of the part that goes with them: answers that of generating, reviews that of waiting for them. */
const ANSWERS = ALL_PARTS.indexOf('gen');
const REVIEWS = ALL_PARTS.indexOf('supervise_wait');
/** What took less would be told as 0.0 s. */
const LEAST_TOLD = 0.05;

/** One step from its prompts to its save: what it did, when answers came, when reviewers worked, and where it waited for them. */
export function StepInside({ runId, step }: { runId: string; step: number }) {
  const read = useApiQuery(`live.inside.${step}`, api.live.inside, { runId, step });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(inside) =>
        inside === null ? null : (
          <div className="live-system">
            <StepInsideFigure inside={inside} />
          </div>
        )
      }
    </QueryState>
  );
}

export function StepInsideFigure({ inside }: { inside: Inside }) {
  const t = useTranslate();
  const { ref: box, width } = useElementSize();
  const room = Math.max(LEAST_WIDTH, Math.floor(width));
  const title = t('live.inside', { step: inside.step });
  return (
    <ChartFrame
      title={title}
      aside={<span className="fig-note numbers">{waitText(t, inside)}</span>}
      table={() => tableOf(inside, t)}
      svg={() => svgOf(title, inside, t)}
      format={durationText}
      height={HEIGHT}
    >
      <div ref={box}>
        <svg width={room} height={HEIGHT} role="img" aria-label={`${title}. ${waitText(t, inside)}`}>
          <Lanes inside={inside} width={room} color={(index) => `var(${seriesColor(index)})`} t={t} />
        </svg>
      </div>
      <ul className="live-parts">
        {inside.parts
          .filter(({ from, to }) => to - from >= LEAST_TOLD)
          .map(({ part, from, to }) => (
            <li key={part} className="numbers">
              <svg width={9} height={9} aria-hidden>
                <rect width={9} height={9} rx={2} fill={`var(${seriesColor(ALL_PARTS.indexOf(part))})`} />
              </svg>
              {t('live.timeline.part', { part: t(`live.part.${part}`), seconds: durationText(to - from) })}
            </li>
          ))}
      </ul>
    </ChartFrame>
  );
}

/** Whether the step stood still for its reviewers, and how much of their work it did not notice. */
function waitText(t: Translate, inside: Inside): string {
  const { busy, waited } = reviewSeconds(inside);
  if (inside.reviews.length === 0) return t('live.inside.alone', { seconds: durationText(inside.seconds) });
  return t('live.inside.waits', {
    seconds: durationText(inside.seconds),
    busy: durationText(busy),
    waited: waited === 0 ? 'none' : durationText(waited),
    split: inside.isWaitSplit ? 'yes' : 'no',
  });
}

function Lanes({
  inside: { seconds, parts, reviews, answered },
  width,
  color,
  t,
}: {
  inside: Inside;
  width: number;
  color: (index: number) => string;
  t: Translate;
}) {
  const end = Math.max(seconds, ...parts.map(({ to }) => to), ...reviews.map(({ to }) => to), 1e-6);
  const x = (at: number): number => LABELS + ((width - LABELS) * at) / end;
  const span = (from: number, to: number): number => Math.max(MOMENT, x(to) - x(from));
  const lane = (index: number): number => index * (LANE + GAP);
  // Older steps stored no times of answers, and runs alone have no reviews.
  const names = (['live.inside.step', 'live.inside.answers', 'live.inside.reviews'] as const).map(
    (name, index) => ([1, answered.length, reviews.length][index] === 0 ? null : name),
  );
  return (
    <>
      {names.map((name, index) =>
        name === null ? null : (
          <text key={name} x={0} y={lane(index) + LANE / 2 + 4} fontSize="0.6875rem" fill="currentColor">
            {t(name)}
          </text>
        ),
      )}
      {parts.map(({ part, from, to }) => (
        <rect
          key={part}
          x={x(from)}
          y={lane(0)}
          width={span(from, to)}
          height={LANE}
          fill={color(ALL_PARTS.indexOf(part))}
        />
      ))}
      {answered.map((at, index) => (
        <rect key={index} x={x(at)} y={lane(1)} width={MOMENT} height={LANE} fill={color(ANSWERS)} />
      ))}
      {merged(reviews).map(({ from, to }) => (
        <rect key={from} x={x(from)} y={lane(2)} width={span(from, to)} height={LANE} fill={color(REVIEWS)} />
      ))}
    </>
  );
}

const tableOf = ({ parts, reviews, answered }: Inside, t: Translate) => ({
  columns: [t('live.inside.what'), t('live.inside.from'), t('live.inside.to')],
  rows: [
    ...parts.map(({ part, from, to }) => [t(`live.part.${part}`), from, to]),
    ...(answered.length === 0
      ? []
      : [[t('live.inside.answers.n', { n: answered.length }), answered[0] ?? 0, answered.at(-1) ?? 0]]),
    ...reviews.map(({ phase, from, to }) => [
      t('live.inside.review', { phase: t(`phase.${phase}`) }),
      from,
      to,
    ]),
  ],
});

/** The figure as a file that stands alone. */
function svgOf(title: string, inside: Inside, t: Translate): string {
  const width = 640;
  const end = Math.max(inside.seconds, ...inside.reviews.map(({ to }) => to), 1e-6);
  const x = (at: number): number => 110 + (510 * at) / end;
  const bar = (lane: number, from: number, to: number, color: string): string =>
    `<rect x="${x(from).toFixed(1)}" y="${40 + lane * 28}" width="${Math.max(1, x(to) - x(from)).toFixed(1)}" height="20" fill="${color}"/>`;
  const names = [t('live.inside.step'), t('live.inside.answers'), t('live.inside.reviews')];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="150" viewBox="0 0 ${width} 150" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24"><rect width="${width}" height="150" fill="#ffffff"/>` +
    `<text x="12" y="22" font-weight="600" font-size="14">${escapeXml(title)}</text><text x="12" y="142">${escapeXml(waitText(t, inside))}</text>` +
    names.map((name, lane) => `<text x="12" y="${54 + lane * 28}">${escapeXml(name)}</text>`).join('') +
    inside.parts.map(({ part, from, to }) => bar(0, from, to, printColor(ALL_PARTS.indexOf(part)))).join('') +
    inside.answered.map((at) => bar(1, at, at, printColor(ANSWERS))).join('') +
    merged(inside.reviews)
      .map(({ from, to }) => bar(2, from, to, printColor(REVIEWS)))
      .join('') +
    '</svg>\n'
  );
}
