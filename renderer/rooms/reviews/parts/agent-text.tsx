import { useMemo } from 'react';
import { useTranslate } from '../../../i18n/index.ts';
import { visibleText } from '../model/visible-text.ts';

/** Text of an agent as data: a text node, with hidden characters made visible. */
export function AgentText({
  heading,
  text,
  isMain = false,
}: {
  heading: string;
  text: string;
  isMain?: boolean;
}) {
  const t = useTranslate();
  const { text: shown, cut } = useMemo(() => visibleText(text), [text]);
  return (
    <section className="reviews-field">
      <h3>{heading}</h3>
      <pre className="kit-pre reviews-text" data-main={isMain}>
        {shown}
      </pre>
      {cut > 0 && <p className="reviews-label">{t('reviews.agent.cut', { n: cut })}</p>}
    </section>
  );
}

/** The same, folded: what is there when one asks for it. */
export function FoldedText({
  heading,
  text,
  isOpen = false,
}: {
  heading: string;
  text: string;
  isOpen?: boolean;
}) {
  return (
    <details className="reviews-fold" open={isOpen}>
      <summary>{heading}</summary>
      <pre className="kit-pre reviews-text">{visibleText(text).text}</pre>
    </details>
  );
}
