import { niceTicks, timeTicks } from './axes.ts';
import { escapeXml, picture } from './picture.ts';
import { printColor } from './series.ts';

/** A horizontal bar; `low` and `high` end its whisker. */
export type Bar = {
  id: string;
  label: string;
  value: number;
  low?: number;
  high?: number;
  /** Number of the colour; 0 by default. */ color?: number;
};

/** What bars are measured along. */
export type BarAxis = {
  /** What they measure, which stands under the axis, and what each of them is, which stands under their labels. */
  name: string;
  of: string;
  /** Its end; that of the longest bar or whisker where null. */
  most: number | null;
  format: (value: number) => string;
  /** Whether values are seconds, which are marked as a clock divides them. */
  isTime?: boolean;
};

/** Where everything of a figure of bars stands, in pixels: the same for the page and for the saved picture. */
export type BarsLayout = {
  width: number;
  height: number;
  /** End of the labels, and beginning of the bars. */
  left: number;
  rows: {
    bar: Bar;
    /** The label, whole, on as many lines as it takes. */
    lines: { text: string; y: number }[];
    middle: number;
    start: number;
    end: number;
    whisker: [number, number] | null;
  }[];
  /** Where the axis stands, its marks, and its name in the middle below them; at the left of it, what a bar is. */
  axis: number;
  ticks: { at: number; y: number; text: string }[];
  name: { at: number; y: number };
  of: { text: string; y: number }[];
};

/** Of the saved picture, and on a page that has no width yet. */
const WIDTH = 640;
/** Narrower, and nothing is left for the bars. */
const LEAST_WIDTH = 240;
const TOP = 4;
const ROW = 24;
const LINE = 15;
const AXIS = 38;
const VALUE = 76;
/** A letter of the figures' usual size is seldom wider; labels that are narrower than this reckons stand a little further left. */
const LETTER = 7.2;
const SHORTEST_LABEL = 8;
/** Letters of a line of a label, at most; fewer where the figure is narrow. */
const LONGEST_LABEL = 30;
/** Part of the figure that labels may take: more would leave the bars less than half of it. */
const LABEL_SHARE = 0.36;
const GAP = 12;
const TICKS = 4;
/** Of the longest time at the axis, such as `1 min 30 s`, with room to the next one. */
const TIME_LETTERS = 12;

/** 0 … 1 along the longest bar; bars begin at 0, or at the lowest when one is below. */
export function barScale(bars: readonly Bar[], most: number | null): (value: number) => number {
  const [low, high] = barSpan(bars, most);
  return (value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
}

function barSpan(bars: readonly Bar[], most: number | null): [number, number] {
  const low = Math.min(0, ...bars.map(({ value, low: least = value }) => Math.min(value, least)));
  return [
    low,
    most ??
      Math.max(...bars.map(({ value, high: greatest = value }) => Math.max(value, greatest)), low + 1e-9),
  ];
}

/**
 * @param drawn pixels that the figure is drawn in, so that its letters keep their size and only the bars grow; 0 where not known.
 * @param textScale how large its letters are, 1 as usual: what they take grows with them.
 */
export function layOutBars(
  bars: readonly Bar[],
  { of, most, format, isTime = false }: Omit<BarAxis, 'name'>,
  drawn = 0,
  textScale = 1,
): BarsLayout {
  const [letter, lineHeight] = [LETTER * textScale, LINE * textScale];
  const width = drawn === 0 ? WIDTH : Math.max(LEAST_WIDTH, Math.floor(drawn));
  const letters = Math.min(LONGEST_LABEL, Math.floor((width * LABEL_SHARE - GAP) / letter));
  const labels = bars.map(({ label }) => linesOf(label, letters));
  const ofLines = linesOf(of, letters);
  const longest = Math.max(
    SHORTEST_LABEL,
    ...[ofLines, ...labels].flatMap((lines) => lines.map(({ length }) => length)),
  );
  const left = Math.ceil(longest * letter) + GAP;
  const room = width - left - VALUE * textScale;
  const scale = barScale(bars, most);
  const [low, high] = barSpan(bars, most);
  const at = (value: number): number => left + scale(value) * room;
  let bottom = TOP;
  const rows = bars.map((bar, index): BarsLayout['rows'][number] => {
    const lines = labels[index] ?? [];
    const height = Math.max(ROW * textScale, lines.length * lineHeight + 6);
    const middle = bottom + height / 2;
    bottom += height;
    return {
      bar,
      lines: lines.map((text, place) => ({
        text,
        y: middle + (place - (lines.length - 1) / 2) * lineHeight,
      })),
      middle,
      start: at(Math.min(0, bar.value)),
      end: at(Math.max(0, bar.value)),
      whisker: bar.low === undefined || bar.high === undefined ? null : [at(bar.low), at(bar.high)],
    };
  });
  return {
    width,
    height: bottom + AXIS * textScale + (ofLines.length - 1) * lineHeight,
    left,
    rows,
    axis: bottom,
    ticks: (isTime
      ? timeTicks(high, Math.max(1, Math.min(TICKS, Math.floor(room / (TIME_LETTERS * letter)))))
      : niceTicks(low, high, TICKS).map((value) => ({ value, text: format(value) }))
    ).map(({ value, text }) => ({ at: at(value), y: bottom + lineHeight, text })),
    name: { at: left + room / 2, y: bottom + 2 * lineHeight },
    of: ofLines.map((text, index) => ({ text, y: bottom + (index + 2) * lineHeight })),
  };
}

/** Where a label may break; not within a short bracket, such as "(n = 60)". */
const BREAKS = /(?<=[\s/_-])(?![^()]{1,14}\))/;

/** A label in lines of at most so many letters, broken between words, after a hyphen or, where a word is longer, within it. */
function linesOf(label: string, letters: number): string[] {
  const lines = [''];
  for (const part of label.split(BREAKS)) {
    if (lines.at(-1) !== '' && `${lines.at(-1)}${part}`.trimEnd().length > letters) lines.push('');
    lines[lines.length - 1] += part;
    while ((lines.at(-1) as string).trimEnd().length > letters) {
      const whole = lines.pop() as string;
      lines.push(whole.slice(0, letters), whole.slice(letters));
    }
  }
  return lines.map((line) => line.trim());
}

/** The bars as a picture file that stands alone. */
export function barsSvg(title: string, bars: readonly Bar[], measured: BarAxis): string {
  const { width, height, left, rows, axis, ticks, name, of } = layOutBars(bars, measured);
  const px = (value: number): string => value.toFixed(1);
  const grid = ticks.map(
    ({ at, y, text }) =>
      `<line x1="${px(at)}" x2="${px(at)}" y1="${TOP}" y2="${axis}" stroke="#d9dee4"/><text x="${px(at)}" y="${y}" text-anchor="middle">${escapeXml(text)}</text>`,
  );
  const beside = (text: string, y: number): string =>
    `<text x="${left - 8}" y="${px(y)}" dy="4" text-anchor="end">${escapeXml(text)}</text>`;
  const drawn = rows.map(({ bar: { value, color = 0 }, lines, middle, start, end, whisker }) =>
    [
      ...lines.map(({ text, y }) => beside(text, y)),
      `<rect x="${px(start)}" y="${px(middle - 7)}" width="${px(end - start)}" height="14" fill="${printColor(color)}"/>`,
      whisker === null
        ? ''
        : `<path d="M${px(whisker[0])} ${px(middle)}H${px(whisker[1])}" stroke="#1b1f24"/>`,
      `<text x="${width - 4}" y="${px(middle)}" dy="4" text-anchor="end">${escapeXml(measured.format(value))}</text>`,
    ].join(''),
  );
  return picture(
    title,
    width,
    34 + height,
    12,
    `<g transform="translate(0 30)">${grid.join('')}<text x="${px(name.at)}" y="${name.y}" text-anchor="middle">${escapeXml(measured.name)}</text>${of.map(({ text, y }) => beside(text, y - 4)).join('')}${drawn.join('')}</g>`,
  );
}
