/** What a person typed into the search box, read as words with operators; `match` is the FTS5 expression, null when there is nothing to look for. */
export type SearchExpression = {
  match: string | null;
  /** Only words to leave out were given. */ onlyExcludes: boolean;
};

const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;

type Piece = { text: string; quoted: boolean };

/** Words, and texts between double quotes. */
function pieces(typed: string): Piece[] {
  // A NUL would end the expression inside SQLite.
  return typed
    .toWellFormed()
    .replaceAll('\0', ' ')
    .split('"')
    .flatMap((part, index): Piece[] =>
      index % 2 === 1
        ? [{ text: part, quoted: true }]
        : part
            .split(/\s+/u)
            .filter((word) => word !== '')
            .map((word) => ({ text: word, quoted: false })),
    );
}

/** Always in quotes, so that nothing inside is an operator of FTS5. */
function term({ text, quoted }: Piece): string | null {
  if (!SEARCHABLE.test(text)) return null;
  return !quoted && text.endsWith('*') ? `"${text.slice(0, -1)}" *` : `"${text}"`;
}

/**
 * All words must occur. `"quoted text"` is a phrase, `word*` the beginning of a word, `OR` between two words asks for one of
 * them, `NOT` before a word leaves records with it out; both are read as operators in capitals only.
 */
export function readSearch(typed: string): SearchExpression {
  const wanted: string[][] = [];
  const unwanted: string[] = [];
  let [isNegated, joins] = [false, false];
  for (const piece of pieces(typed)) {
    if (!piece.quoted && piece.text === 'NOT') isNegated = true;
    else if (!piece.quoted && piece.text === 'OR') joins = wanted.length > 0;
    else {
      const one = term(piece);
      if (one === null) continue;
      if (isNegated) unwanted.push(one);
      else if (joins) wanted.at(-1)?.push(one);
      else wanted.push([one]);
      [isNegated, joins] = [false, false];
    }
  }
  if (wanted.length === 0) return { match: null, onlyExcludes: unwanted.length > 0 };
  const all = wanted
    .map((group) => (group.length === 1 ? group[0] : `(${group.join(' OR ')})`))
    .join(' AND ');
  return {
    match: unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.join(' OR ')})`,
    onlyExcludes: false,
  };
}
