import { useMemo } from 'react';
import { useTranslate } from '../../../i18n/index.ts';

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
      <pre className="ui-pre reviews-text" data-main={isMain}>
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
      <pre className="ui-pre reviews-text">{visibleText(text).text}</pre>
    </details>
  );
}

/** Control characters but newline and tab, and everything invisible: text of an agent must not hide or reorder what a person reads. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
/** A page shows this much of one text; nothing a policy writes in one answer is longer. */
const MOST_CHARACTERS = 60_000;

/** Text of an agent with hidden characters as their code, such as ⟨U+202E⟩. */
export function visibleText(text: string): { text: string; cut: number } {
  const shown = text.slice(0, MOST_CHARACTERS).replaceAll('\r\n', '\n');
  return {
    text: shown.replaceAll(
      HIDDEN,
      (mark) => `⟨U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`,
    ),
    cut: Math.max(0, text.length - MOST_CHARACTERS),
  };
}
