import { TextBlock } from '../../../ui/index.ts';

type AgentTextProps = { heading: string; text: string };

/** Text of an agent as data, with hidden characters made visible. */
export function AgentText({ heading, text, isMain = false }: AgentTextProps & { isMain?: boolean }) {
  return (
    <section className="reviews-field">
      <h3>{heading}</h3>
      <div className="reviews-text" data-main={isMain}>
        <TextBlock text={text} look="code" />
      </div>
    </section>
  );
}

/** The same, folded: what is there when one asks for it. */
export function FoldedText({ heading, text, isOpen = false }: AgentTextProps & { isOpen?: boolean }) {
  return (
    <details className="reviews-fold" open={isOpen}>
      <summary>{heading}</summary>
      <div className="reviews-text">
        <TextBlock text={text} look="code" />
      </div>
    </details>
  );
}
