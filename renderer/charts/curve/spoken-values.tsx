import { VisuallyHidden } from '../../ui/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import { valueAt } from '../model/layers.ts';
import type { CurveSeries } from '../model/series.ts';
import { useCursor, type Cursor } from './cursor.ts';
import { useThrottled } from './use-throttled.ts';

type SpokenValuesProps = {
  cursor: Cursor;
  series: readonly CurveSeries[];
  hidden: ReadonlySet<string>;
  xLabel: string;
  format: (value: number) => string;
};

const SPEECH_MS = 400; // a held arrow key would otherwise queue up sentences

/** Says politely what the curve shows under the crosshair. */
export function SpokenValues({ cursor, series, hidden, xLabel, format }: SpokenValuesProps) {
  const t = useTranslate();
  const at = useCursor(cursor);
  const spoken = useThrottled(
    at === null
      ? ''
      : sentence(
          t,
          xLabel,
          at,
          series.filter(({ id }) => !hidden.has(id)),
          format,
        ),
    SPEECH_MS,
  );
  return <VisuallyHidden aria-live="polite">{spoken}</VisuallyHidden>;
}

function sentence(
  t: Translate,
  xLabel: string,
  x: number,
  series: readonly CurveSeries[],
  format: (value: number) => string,
): string {
  const values = series.flatMap((one) => {
    const value = valueAt(one, x);
    if (value === undefined) return [];
    return [
      value === null
        ? t('figure.noValue', { label: one.label })
        : t('figure.value', { label: one.label, value: format(value) }),
    ];
  });
  return values.length === 0
    ? t('figure.nothingAt', { xLabel, x })
    : t('figure.at', { xLabel, x, values: values.join(', ') });
}
