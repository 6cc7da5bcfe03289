import { useState } from 'react';
import type { AskingSettings } from '../../../electron/contract/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Button, Group, NumberInput, Text, Textarea } from '../../ui/index.ts';

type ComposerProps = {
  question: string;
  settings: AskingSettings;
  /** Goes on with the question that is shown. */
  goesOn: boolean;
  isOpen: boolean;
  /** Why nothing can be asked just now; null when it can. */
  obstacle: string | null;
  problem: string | null;
  onQuestion: (text: string) => void;
  onSettings: (settings: AskingSettings) => void;
  onAsk: () => void;
  onCancel: () => void;
  onNew: (() => void) | null;
};

type Range = { min: number; max: number; step: number; whole: boolean };
const RANGES: Record<keyof AskingSettings, Range> = {
  temperature: { min: 0, max: 5, step: 0.1, whole: false },
  topP: { min: 0.01, max: 1, step: 0.05, whole: false },
  seed: { min: 0, max: 4_294_967_295, step: 1, whole: true },
  maxNewTokens: { min: 1, max: 4096, step: 32, whole: true },
};

/** Where the question is written, and how the answers are sampled. Enter asks, Shift and Enter begin a line. */
export function Composer({
  question,
  settings,
  goesOn,
  isOpen,
  obstacle,
  problem,
  onQuestion,
  onSettings,
  onAsk,
  onCancel,
  onNew,
}: ComposerProps) {
  const t = useTranslate();
  // What stands in a field and cannot be asked with; the setting keeps its last value until it can.
  const [wrong, setWrong] = useState<Partial<Record<keyof AskingSettings, number | string>>>({});
  const hasWrong = Object.keys(wrong).length > 0;
  const hindered = obstacle ?? (hasWrong ? t('asking.number.first') : null);
  const number = (name: keyof AskingSettings) => {
    const { min, max, step, whole } = RANGES[name];
    return (
      <NumberInput
        size="xs"
        w={104}
        label={t(`asking.${name}`)}
        // Above the field: those beside it stay in line.
        inputWrapperOrder={['label', 'error', 'input']}
        value={wrong[name] ?? settings[name]}
        min={min}
        max={max}
        step={step}
        allowDecimal={!whole}
        allowNegative={false}
        clampBehavior="none"
        error={wrong[name] === undefined ? undefined : t('asking.number.wrong', { min, max })}
        onChange={(value) => {
          const { [name]: _, ...others } = wrong;
          const isRight = typeof value === 'number' && value >= min && value <= max;
          setWrong(isRight ? others : { ...others, [name]: value });
          if (isRight) onSettings({ ...settings, [name]: value });
        }}
      />
    );
  };
  return (
    <form
      className="asking-composer"
      aria-label={t('asking.composer')}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOpen && hindered === null) onAsk();
      }}
    >
      <Textarea
        aria-label={t('asking.question')}
        placeholder={t(goesOn ? 'asking.question.more' : 'asking.question.first')}
        autosize
        minRows={1}
        maxRows={6}
        data-autofocus
        value={question}
        onChange={(event) => onQuestion(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (!isOpen && hindered === null) onAsk();
        }}
      />
      {problem !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
      <Group gap="sm" align="flex-end">
        {number('temperature')}
        {number('topP')}
        {number('seed')}
        {number('maxNewTokens')}
        <span className="ui-spring" />
        {onNew !== null && (
          <Button variant="default" size="sm" onClick={onNew}>
            {t('asking.new')}
          </Button>
        )}
        {isOpen ? (
          <Button color="red.9" size="sm" onClick={onCancel}>
            {t('asking.cancel')}
          </Button>
        ) : (
          <Button
            type="submit"
            size="sm"
            disabled={hindered !== null || question.trim() === ''}
            title={hindered ?? undefined}
          >
            {t(goesOn ? 'asking.goOn' : 'asking.ask')}
          </Button>
        )}
      </Group>
    </form>
  );
}
