import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import type { AnswerToken } from '../../../electron/contract/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Quiet, Text, visibleString } from '../../ui/index.ts';
import { placed, saidSpan } from './model.ts';

/** Below so much a token was far from sure, and its ground shows it. */
const SURE = 0.98;
const STRONGEST = 0.3; // text on it keeps 4.5:1 in both themes

const percent = (share: number): string =>
  `${(100 * share).toLocaleString('en', { maximumFractionDigits: 1, minimumFractionDigits: 1 })} %`;

/** A token's text by itself: line ends and spaces at its edges are part of it. */
const quoted = (text: string): string => `“${visibleString(text.replaceAll('\n', '↵'))}”`;

/**
 * An answer token by token. Model-written text is data: each token becomes a text node, and characters that would act are shown as what
 * they are. One token is looked at by pointing at it or by the arrow keys; its probability and alternatives stand below.
 */
export function AnswerText({ tokens, label }: { tokens: readonly AnswerToken[]; label: string }) {
  const t = useTranslate();
  const id = useId();
  const [active, setActive] = useState<number | null>(null);
  const places = useMemo(() => placed(tokens), [tokens]);
  const said = useMemo(() => saidSpan(tokens.map(({ text }) => text).join('')), [tokens]);
  const looked = active === null ? undefined : tokens[active];

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = tokens.length - 1;
    const from = active ?? -1;
    const to: Record<string, number> = {
      ArrowRight: from + 1,
      ArrowDown: from + 1,
      ArrowLeft: from - 1,
      ArrowUp: from - 1,
      Home: 0,
      End: last,
    };
    const target = event.ctrlKey || event.metaKey || event.altKey ? undefined : to[event.key];
    if (target === undefined || last < 0) return;
    setActive(Math.max(0, Math.min(last, target)));
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        className="asking-text"
        role="listbox"
        aria-label={label}
        aria-activedescendant={active === null ? undefined : `${id}-${active}`}
        tabIndex={0}
        dir="ltr"
        onKeyDown={onKeyDown}
        onMouseLeave={() => setActive(null)}
      >
        {places.map(({ token, at }, index) => {
          const isSaid = at >= said.from && at < said.to;
          const doubt = token.probability >= SURE ? 0 : STRONGEST * (1 - token.probability);
          return (
            <span
              key={index}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              aria-label={t('asking.token', {
                text: token.text === '' ? t('asking.token.end') : quoted(token.text),
                share: percent(token.probability),
              })}
              className="asking-token"
              data-said={isSaid}
              data-doubted={doubt > 0}
              data-empty={token.text === ''}
              style={doubt === 0 ? undefined : ({ '--doubt': `${Math.round(100 * doubt)}%` } as never)}
              onMouseEnter={() => setActive(index)}
            >
              {token.text === '' ? '∎' : visibleString(token.text)}
            </span>
          );
        })}
      </div>
      <div className="asking-looked">
        {looked === undefined ? (
          <Quiet size="xs">{t('asking.token.how')}</Quiet>
        ) : (
          <>
            <Text size="xs" component="span" fw={600} className="numbers">
              {looked.text === '' ? t('asking.token.end') : quoted(looked.text)} {percent(looked.probability)}
            </Text>
            <ol className="asking-others" aria-label={t('asking.token.others')}>
              {looked.alternatives.map((other, index) => (
                <li key={index} data-chosen={other.text === looked.text}>
                  <code>{quoted(other.text)}</code>{' '}
                  <span className="numbers">{percent(other.probability)}</span>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </>
  );
}
