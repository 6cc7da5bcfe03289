import { Fragment } from 'react';

/** Text of a search hit, in which what matched stands between ‹ and ›. */
export function ExcerptText({ text }: { text: string }) {
  const parts = text.split(/‹([^‹›]*)›/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="records-match">
        {part}
      </mark>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
