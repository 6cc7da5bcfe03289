import { distinctGrams, entropyOf, pairwiseBleu } from '../../../core/index.ts';
import { meanOf } from './review.ts';
import type { Vote } from './voting.ts';

/** Numbers, signs of operations and commands of formulas: what a question has to be worked out with. */
const TERMS = /\d+(?:\.\d+)?|\\[a-z]+|[-+*/^=<>×÷·√≤≥%]/gi;

/** How varied and how complex the questions of a batch are. */
export function questionMeasures(batch: string, questions: readonly string[]): Record<string, number | null> {
  return {
    [`${batch}/distinct_1`]: distinctGrams(questions, 1),
    [`${batch}/distinct_2`]: distinctGrams(questions, 2),
    [`${batch}/pairwise_bleu`]: pairwiseBleu(questions),
    [`${batch}/question_words`]: meanOf(questions.map((question) => question.split(/\s+/).length)),
    [`${batch}/question_terms`]: meanOf(questions.map((question) => question.match(TERMS)?.length ?? 0)),
  };
}

/** How the solver's answers to a batch of questions came out. */
export function voteMeasures(batch: string, votes: readonly Vote[]): Record<string, number | null> {
  const samples = votes.flatMap((vote) => vote.samples);
  return {
    [`${batch}/abstained`]: meanOf(votes.map(({ abstained }) => abstained)),
    [`${batch}/truncated`]: meanOf(samples.map(({ record: { finish } }) => Number(finish === 'length'))),
    [`${batch}/vote_tokens`]: meanOf(samples.map(({ record: { newTokens } }) => newTokens)),
    [`${batch}/answer_entropy`]: meanOf(
      votes.map((vote) => entropyOf(vote.samples.flatMap(({ parsed: { answer } }) => answer ?? []))),
    ),
  };
}
