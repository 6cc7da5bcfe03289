import { memo, useEffect, useRef, useState, type RefObject } from 'react';
import type { SearchPlace } from '../../../../electron/contract/index.ts';
import { ActionIcon, Code, NativeSelect, Popover, TextInput, useDebouncedValue } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** Long enough that a word is searched once, short enough not to be noticed. */
const PAUSE_MS = 150;
const PLACES = ['agent', 'prompt', 'review'] as const;
const HELP = [
  { example: 'sort list', text: 'words' },
  { example: '"return value"', text: 'phrase' },
  { example: 'trace*', text: 'prefix' },
  { example: 'min OR max', text: 'or' },
  { example: 'sort NOT reverse', text: 'not' },
] as const;

type SearchBoxProps = {
  text: string;
  place: SearchPlace | null;
  onText: (text: string) => void;
  onChange: (part: { in: SearchPlace | undefined }) => void;
  box: RefObject<HTMLInputElement | null>;
};

/** Full text with operators, and where to look. */
export const SearchBox = memo(function SearchBox({ text, place, onText, onChange, box }: SearchBoxProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState(text);
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  const reported = useRef(text);
  useEffect(() => {
    if (settled === reported.current) return;
    reported.current = settled;
    onText(settled);
  }, [settled, onText]);
  useEffect(() => {
    // Changed elsewhere: cleared, a saved filter, Back.
    if (text === reported.current) return;
    reported.current = text;
    setTyped(text);
  }, [text]);
  return (
    <div className="records-search" role="search">
      <TextInput
        ref={box}
        size="xs"
        type="search"
        aria-label={t('records.search')}
        placeholder={t('records.search.short')}
        value={typed}
        maxLength={400}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped('');
        }}
        rightSection={
          typed === '' ? null : (
            <ActionIcon
              variant="subtle"
              size="sm"
              color="gray"
              aria-label={t('records.search.clear')}
              onClick={() => setTyped('')}
            >
              ×
            </ActionIcon>
          )
        }
      />
      <NativeSelect
        size="xs"
        aria-label={t('records.search.in')}
        value={place ?? ''}
        onChange={(event) => onChange({ in: PLACES.find((each) => each === event.currentTarget.value) })}
        data={[
          { value: '', label: t('records.search.in.all') },
          ...PLACES.map((value) => ({ value, label: t(`records.search.in.${value}`) })),
        ]}
      />
      <Popover width={340} position="bottom-end" withArrow trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon variant="default" size={30} aria-label={t('records.search.help')}>
            ?
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('records.search.help')}>
          <dl className="records-help">
            {HELP.map(({ example, text: which }) => (
              <div key={which}>
                <dt>
                  <Code>{example}</Code>
                </dt>
                <dd>{t(`records.search.help.${which}`)}</dd>
              </div>
            ))}
          </dl>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
});
