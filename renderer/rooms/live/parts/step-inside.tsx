import { ChartFrame, escapeXml, picture, printColor, seriesColor, timeTicks } from '../../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { durationText, QueryState, useElementSize, useTextScale } from '../../../ui/index.ts';
import { merged, reviewSeconds, type Inside } from '../model/inside.ts';
import { ALL_PARTS } from '../model/timeline.ts';

const LANE = 20;
const GAP = 6;
const LABELS = 92;
const LANES = 3 * LANE + 2 * GAP;
/** Below the lanes: the axis of time. */
const AXIS = 18;
const BASELINE = 14;
/** Room between two times of the axis. */
const TIME_PX = 96;
/** Of the saved picture: its width, where its lanes begin and the room that names of lanes take. */
const PICTURE = { width: 640, left: 12, top: 40, labels: 98, right: 20 };
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
  const textScale = useTextScale();
  const room = Math.max(LEAST_WIDTH, Math.floor(width));
  const height = (LANES + AXIS) * textScale;
  const title = t('live.inside', { step: inside.step });
  return (
    <ChartFrame
      title={title}
      aside={<span className="fig-note numbers">{waitText(t, inside)}</span>}
      table={() => tableOf(inside, t)}
      svg={() => insideSvg(title, inside, t)}
      format={durationText}
      height={height}
    >
      <div ref={box}>
        <svg
          className="fig-svg"
          width={room}
          height={height}
          role="img"
          aria-label={`${title}. ${waitText(t, inside)}`}
        >
          <Lanes inside={inside} width={room} textScale={textScale} t={t} />
        </svg>
      </div>
      <ul className="live-parts">
        {toldParts(inside, t).map(({ text, color }) => (
          <li key={text} className="numbers">
            <svg width={9} height={9} aria-hidden>
              <rect width={9} height={9} rx={2} fill={`var(${seriesColor(color)})`} />
            </svg>
            {text}
          </li>
        ))}
      </ul>
    </ChartFrame>
  );
}

/** What the step did with how long it took, each in its colour. */
const toldParts = ({ parts }: Inside, t: Translate): { text: string; color: number }[] =>
  parts
    .filter(({ from, to }) => to - from >= LEAST_TOLD)
    .map(({ part, from, to }) => ({
      text: t('live.timeline.part', { part: t(`live.part.${part}`), seconds: durationText(to - from) }),
      color: ALL_PARTS.indexOf(part),
    }));

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

/** A lane of the figure; times in seconds, as bars of one colour or one each. */
type Lane = { name: string; bars: { from: number; to: number; color: number }[] };

/** The lanes that have anything: older steps stored no times of answers, and runs alone have no reviews. */
function lanesOf({ parts, reviews, answered }: Inside, t: Translate): (Lane | null)[] {
  const lanes: Lane[] = [
    {
      name: t('live.inside.step'),
      bars: parts.map(({ part, from, to }) => ({ from, to, color: ALL_PARTS.indexOf(part) })),
    },
    { name: t('live.inside.answers'), bars: answered.map((at) => ({ from: at, to: at, color: ANSWERS })) },
    { name: t('live.inside.reviews'), bars: merged(reviews).map((one) => ({ ...one, color: REVIEWS })) },
  ];
  return lanes.map((lane) => (lane.bars.length === 0 ? null : lane));
}

/** Where its moments stand in so many pixels, and the times that are marked. */
function timeScale({ seconds, parts, reviews }: Inside, width: number, textScale = 1) {
  const end = Math.max(seconds, ...parts.map(({ to }) => to), ...reviews.map(({ to }) => to), 1e-6);
  const x = (at: number): number => (width * at) / end;
  const ticks = timeTicks(end, Math.max(1, Math.floor(width / (TIME_PX * textScale)))).map(
    ({ value, text }) => {
      const at = x(value);
      // A time at the very end would be cut.
      return {
        at,
        text,
        anchor: at > width - (TIME_PX * textScale) / 4 ? ('end' as const) : ('middle' as const),
      };
    },
  );
  return { x, span: (from: number, to: number) => Math.max(MOMENT, x(to) - x(from)), ticks };
}

const laneTop = (index: number): number => index * (LANE + GAP);

function Lanes({
  inside,
  width,
  textScale,
  t,
}: {
  inside: Inside;
  width: number;
  textScale: number;
  t: Translate;
}) {
  const left = LABELS * textScale;
  const { x, span, ticks } = timeScale(inside, width - left, textScale);
  const foot = (LANES + BASELINE) * textScale;
  return (
    <>
      {ticks.map(({ at, text, anchor }) => (
        <g key={text} transform={`translate(${left} 0)`}>
          <line x1={at} x2={at} y1={0} y2={LANES * textScale} stroke="var(--line)" />
          <text x={at} y={foot} textAnchor={anchor} className="numbers quiet">
            {text}
          </text>
        </g>
      ))}
      <text x={0} y={foot} className="quiet">
        {t('figure.unit.time')}
      </text>
      {lanesOf(inside, t).map((lane, index) =>
        lane === null ? null : (
          <g key={lane.name} transform={`translate(0 ${laneTop(index) * textScale})`}>
            <text x={0} y={(LANE / 2 + 4) * textScale}>
              {lane.name}
            </text>
            {lane.bars.map(({ from, to, color }, place) => (
              <rect
                key={place}
                x={left + x(from)}
                width={span(from, to)}
                height={LANE * textScale}
                fill={`var(${seriesColor(color)})`}
              />
            ))}
          </g>
        ),
      )}
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
export function insideSvg(title: string, inside: Inside, t: Translate): string {
  const { width, left, top, labels, right } = PICTURE;
  const { x, span, ticks } = timeScale(inside, width - left - labels - right);
  const px = (value: number): string => value.toFixed(1);
  const axis = ticks.map(
    ({ at, text, anchor }) =>
      `<line x1="${px(at)}" x2="${px(at)}" y1="0" y2="${LANES}" stroke="#d9dee4"/><text x="${px(at)}" y="${LANES + BASELINE}" text-anchor="${anchor}">${escapeXml(text)}</text>`,
  );
  const lanes = lanesOf(inside, t).map((lane, index) =>
    lane === null
      ? ''
      : `<g transform="translate(0 ${laneTop(index)})"><text x="${-labels}" y="${LANE / 2 + 4}">${escapeXml(lane.name)}</text>${lane.bars
          .map(
            ({ from, to, color }) =>
              `<rect x="${px(x(from))}" width="${px(span(from, to))}" height="${LANE}" fill="${printColor(color)}"/>`,
          )
          .join('')}</g>`,
  );
  const told = top + LANES + AXIS + 22;
  const parts = toldParts(inside, t);
  const legend = parts.map(({ text, color }, index) => {
    const y = told + 12 + index * 16;
    return `<rect x="${left}" y="${y}" width="10" height="10" fill="${printColor(color)}"/><text x="${left + 16}" y="${y + 9}">${escapeXml(text)}</text>`;
  });
  return picture(
    title,
    width,
    told + 20 + parts.length * 16,
    left,
    `<g transform="translate(${left + labels} ${top})">${axis.join('')}<text x="${-labels}" y="${LANES + BASELINE}">${escapeXml(t('figure.unit.time'))}</text>${lanes.join('')}</g>` +
      `<text x="${left}" y="${told}">${escapeXml(waitText(t, inside))}</text>${legend.join('')}`,
  );
}
