import { ChartFrame, type ChartTable, escapeXml } from '../../charts/index.ts';
import { type Translate, useTranslate } from '../../i18n/index.ts';
import { DataList, useElementSize, useTextScale, VisuallyHidden } from '../../ui/index.ts';
import { isFixed, type Lane, lanesOf, type LineLife, stepTicks } from './lines.ts';

type LinesFigureProps = {
  lines: readonly LineLife[];
  newestContext: number;
  selected: string | null;
  onSelect: (id: string) => void;
};

const ROW_PX = 34;
const LANE_PX = 14;
const TEXT_SHARE = 0.42;
const SHOWN_ROWS = 14;

/** Every line as a bar over the steps that saw it, with dots where reviews spoke for it; a list for keys and ears. */
export function LinesFigure({ lines, newestContext, selected, onSelect }: LinesFigureProps) {
  const t = useTranslate();
  const { ref: box, width } = useElementSize();
  const lanes = lanesOf(lines, newestContext);
  const room = Math.max(120, width * (1 - TEXT_SHARE) - 20);
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const scale = useTextScale();
  const height = Math.min(lines.length, SHOWN_ROWS) * ROW_PX * scale;
  return (
    <ChartFrame
      title={t('contexts.figure')}
      table={() => linesTable(lines, t)}
      svg={() => linesSvg(t('contexts.figure'), lines, lanes, newestContext)}
      format={(value) => String(value)}
      height={Math.max(height, 160)}
      aside={
        <span className="fig-note">
          {t('contexts.figure.note', { lines: lines.length, contexts: newestContext })}
        </span>
      }
    >
      <div ref={box} className="ctx-figure">
        <div className="ctx-axis" aria-hidden>
          <span className="ctx-text">{t('contexts.figure.line')}</span>
          <svg width={room} height={16}>
            {stepTicks(newestContext, Math.max(2, Math.floor(room / 60))).map(({ step, at }) => (
              <text key={step} x={at * room} y={12} textAnchor="middle" className="quiet">
                {step}
              </text>
            ))}
          </svg>
        </div>
        <div style={{ height, display: 'flex' }}>
          <DataList
            label={t('contexts.figure')}
            rows={lines}
            keyOf={(line) => line.id}
            rowHeight={ROW_PX}
            total={lines.length}
            selected={selected}
            onSelect={onSelect}
            renderRow={(line) => (
              <LineRow
                line={line}
                lane={byId.get(line.id) as Lane}
                room={room}
                scale={scale}
                label={rowText(t, line)}
              />
            )}
          />
        </div>
      </div>
    </ChartFrame>
  );
}

type LineRowProps = { line: LineLife; lane: Lane; room: number; scale: number; label: string };

function LineRow({ line, lane, room, scale, label }: LineRowProps) {
  const t = useTranslate();
  const rowPx = ROW_PX * scale;
  return (
    <div className="ctx-row">
      <VisuallyHidden>{label}</VisuallyHidden>
      <span className="ctx-text" data-gone={lane.isGone} aria-hidden>
        {line.text}
      </span>
      <svg width={room} height={rowPx} aria-hidden>
        <rect
          x={lane.start * room}
          y={(rowPx - LANE_PX) / 2}
          width={Math.max(2, (lane.end - lane.start) * room)}
          height={LANE_PX}
          rx={3}
          className="ctx-bar"
          data-gone={lane.isGone}
          data-fixed={isFixed(line)}
        />
        {lane.dots.map(({ at, radius }) => (
          <circle key={at} cx={at * room} cy={rowPx / 2} r={radius} className="ctx-dot" />
        ))}
        {line.left !== null && (
          <text {...labelPlace(lane, room, WORD_PX * scale)} y={rowPx / 2} dy={4} className="quiet">
            ✕ {t(`contexts.reason.${line.left.reason}.short`)}
          </text>
        )}
      </svg>
    </div>
  );
}

const WORD_PX = 64; // "✕ conflict" in the figure's type at usual letters

/** Behind the bar, or before it where there is no room behind. */
function labelPlace(
  { start, end }: Lane,
  room: number,
  wordPx: number,
): { x: number; textAnchor: 'start' | 'end' } {
  return end * room + wordPx <= room || start * room < wordPx
    ? { x: end * room + 5, textAnchor: 'start' }
    : { x: start * room - 5, textAnchor: 'end' };
}

function rowText(t: Translate, { text, firstContext, lastContext, left, sources }: LineLife): string {
  return t('contexts.row', {
    text,
    first: firstContext,
    last: lastContext,
    left: left === null ? 'there' : t(`contexts.reason.${left.reason}`),
    reviews: sources,
  });
}

function linesTable(lines: readonly LineLife[], t: Translate): ChartTable {
  return {
    columns: [
      t('contexts.figure.line'),
      t('contexts.figure.first'),
      t('contexts.figure.last'),
      t('contexts.figure.reviews'),
      t('contexts.figure.left'),
    ],
    rows: lines.map(({ text, firstContext, lastContext, sources, left }) => [
      text,
      firstContext,
      lastContext,
      sources,
      left === null ? t('contexts.figure.there') : t(`contexts.reason.${left.reason}.short`),
    ]),
  };
}

/** The figure as a picture file that stands alone. */
function linesSvg(
  title: string,
  lines: readonly LineLife[],
  lanes: readonly Lane[],
  newestContext: number,
): string {
  const [left, room, top] = [300, 320, 40];
  const rows = lanes.map(({ start, end, dots }, index) => {
    const y = top + index * 24;
    const points = dots
      .map(
        ({ at, radius }) =>
          `<circle cx="${(left + at * room).toFixed(1)}" cy="${y + 8}" r="${radius.toFixed(1)}" fill="#1b1f24"/>`,
      )
      .join('');
    return `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${escapeXml((lines[index] as LineLife).text.slice(0, 48))}</text><rect x="${(left + start * room).toFixed(1)}" y="${y}" width="${Math.max(2, (end - start) * room).toFixed(1)}" height="16" fill="#9bd8d4"/>${points}`;
  });
  const bottom = top + lanes.length * 24 + 14;
  const ticks = stepTicks(newestContext, 8).map(
    ({ step, at }) =>
      `<text x="${(left + at * room).toFixed(1)}" y="${bottom}" text-anchor="middle">${step}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="${bottom + 10}" viewBox="0 0 640 ${bottom + 10}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24"><rect width="640" height="${bottom + 10}" fill="#ffffff"/>` +
    `<text x="12" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>${rows.join('')}${ticks.join('')}</svg>\n`
  );
}
