import type { ReactNode } from 'react';
import type { Phase, RunState } from '../../electron/contract/index.ts';
import { glossary, useTranslate, type GlossaryId } from '../i18n/index.ts';
import { Text, Tooltip, type TextProps } from './mantine.ts';

const MISSING = '–';

export function percentText(share: number | null, digits = 1): string {
  return share === null || !Number.isFinite(share) ? MISSING : `${(share * 100).toFixed(digits)} %`;
}

/** Seconds as a person says them: 0.8 s, 12 s, 3 min 20 s, 2 h 05 min, 3 d 4 h. */
export function durationText(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return MISSING;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** As durationText, with what is shorter than a second in milliseconds. */
export const shortDurationText = (seconds: number): string =>
  seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : durationText(seconds);

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Decimal units, as disks are sold. */
export function bytesText(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return MISSING;
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

// Making a format takes a hundred times longer than using one, and tables show thousands of numbers.
const formats = new Map<string, Intl.NumberFormat>();

/** A number with a minus that is as wide as a digit; what rounds to nought has no sign. `sign: 'both'` writes a plus as well. */
export function numberText(value: number, digits = 0, sign: 'minus' | 'both' = 'minus'): string {
  const key = `${digits} ${sign}`;
  let format = formats.get(key);
  if (format === undefined)
    formats.set(
      key,
      (format = new Intl.NumberFormat('en', {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        signDisplay: sign === 'both' ? 'exceptZero' : 'negative',
      })),
    );
  return format.format(value).replace('-', '−');
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
  const text = value === null || !Number.isFinite(value) ? MISSING : numberText(value, digits);
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

/** Stands beside a figure into which a person's overrides went. */
export const OVERRIDDEN = '✎';

/** The sign beside a figure and its sentence; nothing where no verdict is a person's. @param n answers whose verdict is one */
export function OverriddenMark({ n }: { n: number }) {
  const t = useTranslate();
  const sentence = t('evaluations.mark.overridden', { overridden: n });
  return n === 0 ? null : (
    <span role="img" title={sentence} aria-label={sentence}>
      {' '}
      {OVERRIDDEN}
    </span>
  );
}

export function Duration({ seconds }: { seconds: number | null }) {
  return (
    <span className="numbers" style={{ whiteSpace: 'nowrap' }}>
      {durationText(seconds)}
    </span>
  );
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

const STATE_COLORS: Record<RunState, string> = {
  queued: 'var(--quiet)',
  'setting-up': 'var(--phase-task)',
  stepping: 'var(--phase-task)',
  pausing: 'var(--warn)',
  paused: 'var(--warn)',
  interrupted: 'var(--warn)',
  done: 'var(--good)',
  failed: 'var(--bad)',
};

/** A run's state as colour and word. */
export function StatusDot({ state }: { state: RunState }) {
  const t = useTranslate();
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', whiteSpace: 'nowrap' }}>
      <span className="ui-dot" style={{ background: STATE_COLORS[state] }} aria-hidden />
      {t(`state.${state}`)}
    </span>
  );
}

/** A phase of supervision as colour and word. */
export function PhaseChip({ phase, short = false }: { phase: Phase; short?: boolean }) {
  const t = useTranslate();
  return (
    <span className="ui-phase" style={{ color: `var(--phase-${phase})` }}>
      {t(short ? `phase.${phase}.short` : `phase.${phase}`)}
    </span>
  );
}

/** A term of the glossary with its explanation on hover and focus. */
export function Term({ id }: { id: GlossaryId }) {
  const { term, text } = glossary[id];
  return (
    <Tooltip label={text} multiline w={300} withArrow events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="ui-term">
        {term}
      </button>
    </Tooltip>
  );
}

/** Words that explain or qualify what stands beside them: small, and in the quiet colour. */
export function Quiet(props: TextProps & { children: ReactNode }) {
  return <Text size="sm" c="var(--quiet)" {...props} />;
}

/** 1.2 M, 7.6 B: parameters as models are called. */
export function parametersText(parameters: number | null): string {
  if (parameters === null) return '–';
  const [value, unit] =
    parameters >= 1e9
      ? [parameters / 1e9, 'B']
      : parameters >= 1e6
        ? [parameters / 1e6, 'M']
        : [parameters / 1e3, 'k'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
