/**
 * Questions that a person asked of models and what they answered, one row each once every answer has ended. `record` is the whole of
 * it but for the tokens, which only whoever looks at an answer closely reads.
 */
export const askedQuestions = {
  version: 13,
  name: 'asked questions',
  sql: `
CREATE TABLE asked_questions (
  id     TEXT PRIMARY KEY CHECK (length(id) > 0),
  record TEXT NOT NULL CHECK (json_valid(record)),
  tokens TEXT NOT NULL CHECK (json_valid(tokens))
) STRICT;
`,
} as const;
