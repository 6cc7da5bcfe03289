import { useEffect, useState } from 'react';
import { NumberInput, useDebouncedValue } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type StepRangeProps = {
  from: number | undefined;
  to: number | undefined;
  /** Steps stored so far. */ steps: number;
  onChange: (from: number | undefined, to: number | undefined) => void;
};

const PAUSE_MS = 250; // digits of one number come within this

const asStep = (value: number | string): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

/** First and last step of the list; empty is from the beginning, to the end. */
export function StepRange({ from, to, steps, onChange }: StepRangeProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState<{ from: number | string; to: number | string }>({
    from: from ?? '',
    to: to ?? '',
  });
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  useEffect(() => setTyped({ from: from ?? '', to: to ?? '' }), [from, to]);
  useEffect(() => {
    const [first, last] = [asStep(settled.from), asStep(settled.to)];
    if (first !== from || last !== to) onChange(first, last);
    // Only what was typed is told; what came from the address is there already.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [settled]);
  const field = (which: 'from' | 'to') => (
    <NumberInput
      size="xs"
      min={1}
      max={Math.max(1, steps)}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="blur"
      placeholder={which === 'from' ? '1' : String(steps)}
      aria-label={t(`records.facet.step.${which}`)}
      value={typed[which]}
      onChange={(value) => setTyped((now) => ({ ...now, [which]: value }))}
    />
  );
  return (
    <fieldset className="records-facet">
      <legend>{t('records.facet.step')}</legend>
      <div className="records-range">
        {field('from')}
        <span aria-hidden>–</span>
        {field('to')}
      </div>
    </fieldset>
  );
}
