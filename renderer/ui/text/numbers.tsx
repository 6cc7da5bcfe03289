import { durationText, bytesText, percentText } from './number-text.ts';

// Making a format takes a hundred times longer than using one, and tables show thousands of numbers.
const formats = new Map<number, Intl.NumberFormat>();

function numberFormat(digits: number): Intl.NumberFormat {
  let format = formats.get(digits);
  if (format === undefined)
    formats.set(
      digits,
      (format = new Intl.NumberFormat('en', {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })),
    );
  return format;
}

const FULL_MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'medium' });
const SHORT_MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** A number as every table shows it: tabular digits, thousands apart, a fixed number of digits after the point. */
export function Num({ value, digits = 0, unit }: { value: number | null; digits?: number; unit?: string }) {
  const text = value === null || !Number.isFinite(value) ? '–' : numberFormat(digits).format(value);
  return (
    <span className="numbers">
      {text}
      {unit === undefined || value === null ? '' : ` ${unit}`}
    </span>
  );
}

/** A share of 0…1 as per cent. */
export function Percent({ value, digits = 1 }: { value: number | null; digits?: number }) {
  return <span className="numbers">{percentText(value, digits)}</span>;
}

export function Duration({ seconds }: { seconds: number | null }) {
  return <span className="numbers">{durationText(seconds)}</span>;
}

export function Bytes({ value }: { value: number | null }) {
  return <span className="numbers">{bytesText(value)}</span>;
}

/** A moment, as local time; the full one is in the tooltip. */
export function When({ iso }: { iso: string }) {
  const at = new Date(iso);
  return (
    <time dateTime={iso} title={FULL_MOMENT.format(at)} className="numbers">
      {SHORT_MOMENT.format(at)}
    </time>
  );
}
