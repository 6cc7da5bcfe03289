/**
 * FTS5 cuts the parts of an excerpt off at a zero character, which a model may write. So the indexes read their texts through views that
 * show U+2400 in its place. Both signs separate words, and a full-text index keeps words by number and not by byte, so that it stays
 * valid as it is: only the name of what it reads is edited, as in 004, and no record is written anew.
 *
 * SQLite's `replace` takes a zero character for the end of its pattern. JSON writes it as an escape, which can be replaced once
 * backslashes are written otherwise. `format` ends at it, which is the quickest test for one.
 */
const shown = (column: string): string => String.raw`CASE
    WHEN octet_length(format('%s', ${column})) = octet_length(${column}) THEN ${column}
    ELSE json_extract(replace(replace(json_quote(${column}), '\\', '\u005c'), '\u0000', '\u2400'), '$')
  END AS ${column}`;

const readThrough = (index: string, table: string, view: string): string => `
UPDATE sqlite_schema SET sql = replace(sql, 'content = ''${table}''', 'content = ''${view}''')
WHERE type = 'table' AND name = '${index}';`;

export const shownTexts = {
  version: 15,
  name: 'shown texts',
  editsSchema: true,
  sql: `
CREATE VIEW shown_rollout_texts AS SELECT key, ${shown('text')}, ${shown('user')} FROM rollout_texts;
CREATE VIEW shown_review_texts AS SELECT key, ${shown('feedback')}, ${shown('prompt')} FROM review_texts;
PRAGMA writable_schema = ON;
${readThrough('rollout_search', 'rollout_texts', 'shown_rollout_texts')}
${readThrough('review_search', 'review_texts', 'shown_review_texts')}
PRAGMA writable_schema = RESET;
`,
} as const;
