import { useEffect, useRef, useState, type RefObject } from 'react';
import { Text, TextInput, Tooltip } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { StateGroup } from '../model/filter.ts';
import { StateChips } from './state-chips.tsx';

const SETTLE_MS = 180; // typing is searched for when it pauses, not letter by letter

type RunBarProps = {
  input: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
  problems: readonly string[];
  states: Record<string, number>;
  group: StateGroup | null;
  onGroup: (group: StateGroup | null) => void;
  shown: number;
  total: number;
};

/** The filter of the list: text with terms, and the states. */
export function RunBar({ input, text, onText, problems, states, group, onGroup, shown, total }: RunBarProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState(text);
  const told = useRef(text);
  useEffect(() => {
    // Cleared or changed from elsewhere, such as the Back button: what was typed gives way.
    if (text !== told.current) {
      told.current = text;
      setTyped(text);
    }
  }, [text]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = window.setTimeout(() => {
      told.current = typed;
      onText(typed);
    }, SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, onText]);
  return (
    <div className="runs-bar" role="search">
      <Tooltip label={t('runs.filter.help')} multiline w={320} position="bottom-start" openDelay={600}>
        <TextInput
          ref={input}
          size="xs"
          value={typed}
          placeholder={t('runs.filter.placeholder')}
          aria-label={t('runs.filter')}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              setTyped('');
              event.currentTarget.blur();
            }
          }}
        />
      </Tooltip>
      <StateChips states={states} selected={group} onSelect={onGroup} />
      <Text size="xs" c="var(--quiet)" className="numbers" role="status">
        {t('runs.count', { shown, total })}
      </Text>
      {problems.length > 0 && (
        <Text size="xs" c="var(--bad)" role="alert" w="100%">
          {t('runs.filter.problem', { terms: problems.join(' ') })}
        </Text>
      )}
    </div>
  );
}
