/** The place of the material that a finding is about, in the words of the material; none where the reviewer quotes nothing. */
export const quotations = {
  version: 12,
  name: 'quotations',
  sql: `
ALTER TABLE review_texts ADD COLUMN quote TEXT CHECK (length(quote) > 0);
`,
} as const;
