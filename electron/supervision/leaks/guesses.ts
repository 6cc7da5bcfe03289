import { inDigits, reckonedNumbers, statedNumbers } from './stated-numbers.ts';
import { equal, type Atom, type GoldValue } from './values.ts';
import type { View } from './views.ts';

/** Words that a sentence about the answer has; without one, a number beside a noun counts or names something. */
const CUE =
  /\b(?:answers?|results?|outputs?|outcome|solution|returns?|returned|expected|expects?|should|would|must|ought|correct(?: one)?|right one|evaluates?|yields?|equals?|really|actually|wanted|looking for)\b|=(?!=)/i;

const NUMBER = String.raw`(?:(?<![\d.])-?\d+(?:\.\d+)?)`;
const AND = String.raw`(?:\s*(?:,|,? and|,? or|to|through|until|-|–|\/|&)\s*#?${NUMBER})*`;
/** What is numbered: "step 7", "lines 3 to 5". */
const NAMED =
  'steps?|lines?|rows?|columns?|iterations?|rounds?|pass|passes|items?|elements?|entry|entries|index|indices|indexes|positions?|parts?|phases?|stages?|cases?|tests?|examples?|branch|branches|tasks?|questions?|points?|rules?|sections?|paragraphs?|references?|attempts?|turns?|levels?|versions?|figures?|calls?|loops?|characters?|digits?|arguments?|pages?|runs?|batch|batches|bullets?|sentences?|responses?|rollouts?|episodes?|python|lists?|prompts?|reviews?|criteri(?:on|a)|notes?|issues?|constants?|factor|modulo|mod|base|temperature|seed|tokens?|words?|operations?|statements?|assignments?|subtasks?|exercise|exercises|problem|problems|checks?|trial|trials|hint|hints|clause|clauses';
/** What is counted or measured, with an adjective or two before it. */
const COUNTED =
  'steps?|lines?|rows?|columns?|iterations?|rounds?|passes|times?|seconds?|minutes?|hours?|days?|tokens?|words?|sentences?|mistakes?|errors?|points?|ways?|parts?|cases?|tests?|examples?|branch|branches|tasks?|questions?|attempts?|turns?|calls?|loops?|responses?|rollouts?|solutions?|solvers?|reasons?|places?|issues?|problems?|gaps?|constants?|references?|reviews?|assumptions?|claims?|arguments?|phases?|stages?|checks?|answers|programs?|updates?|operations?|assignments?|statements?|criteria|variables?|thirds|quarters|halves|fold|per cent|percent|%|characters|digits|lists?|sections?|paragraphs?|pages?|retries|hints?|others?|orders?|decimals?|spaces?|levels?|functions?|modules?|conditions?|rules?|sources?|readers?|people|reviewers?|samples?|sides?|halfway|kinds?|sorts?|types?|inputs|outputs|values|numbers|results|batches|items|elements|entries';
const DETERMINERS = String.raw`(?:(?:the|its|all|these|those|such|more|other|extra|missing|further|different)\s+)`;

const STRONG: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:${NAMED})\s+(?:(?:no\.?|number|nr\.?)\s*)?#?${NUMBER}${AND}`, 'gi'),
  new RegExp(String.raw`#\s*${NUMBER}`, 'g'),
  new RegExp(String.raw`${NUMBER}\s+(?:out\s+)?of\s+${DETERMINERS}*${NUMBER}?`, 'gi'),
  new RegExp(
    String.raw`${NUMBER}(?:\s*(?:or|to|and|-|–)\s*${NUMBER})?[\s-]+(?:(?!(?:is|are|was|were|and|or|not|for|in|as|it|if|when|because|but|after|at|would|should|here|instead|to)\b)[a-z-]+\s+){0,2}(?:${COUNTED})(?![a-z])`,
    'gi',
  ),
  new RegExp(String.raw`${NUMBER}\s*%`, 'g'),
  new RegExp(String.raw`(?<![\d.])${NUMBER}-(?!\d)[a-z]+`, 'gi'),
  new RegExp(
    String.raw`\b(?:at least|at most|no more than|no fewer than|up to|off by|off-by-|division by|by|within|rated|scored?|rating of|confidence|(?:counts?|starts?|begins?|starting|counting|indexed|numbered) (?:from|at|with))\s+${NUMBER}(?=[\s.,;:!?)]|$)`,
    'gi',
  ),
];
/** "7 branches", "7 more elements": a plural noun, and no verb that happens to end in s. */
const WEAK: readonly RegExp[] = [
  new RegExp(
    String.raw`${NUMBER}\s+(?:[a-z-]+\s+)?(?!(?:is|was|has|does|this|its|as|thus|yes|plus|minus|times|less|always|works|fits|passes|matches|gives|equals|comes|makes|solves|satisfies|follows|results|returns|holds|wins|suffices|succeeds)\b)[a-z]{2,}s\b`,
    'gi',
  ),
];
/** "one" is a pronoun far more often than a number. */
const PRONOUN =
  /\b(?<!(?:\bis|\bbe|been|equals?|=|:|returns?|gives?|get|expected|exactly|just|only|than|by|to|plus|minus|times|say|write|answer|try|look|not|\() )one\b(?! (?:more|less|fewer) than\b)|\b(?:no|any|some|every|each|the|this|that|which|another|either|neither|right|wrong|only|first|last|other|correct) one\b|\bone (?:of|by one|another|could|should|can|must|would|may|has|step|needs|expects|sees)\b/gi;

/** A review has few sentences; what has more is judged as one. */
const MOST_CLAUSES = 40;
function clauses(text: string): string[] {
  const parts = text.split(/(?<=[.!?;])\s+(?=\S)/);
  return parts.length > MOST_CLAUSES ? [text] : parts;
}

/**
 * Whether a text tells a value that could be guessed, such as 7, True or 'A': that very value, where no number of a step, count, share or
 * bound stands and no truth of a condition.
 * @param isShown whether the agent was shown the value as a constant; then only a sentence about the answer tells it.
 */
export function statesGuess(
  { atoms }: GoldValue,
  literal: string,
  { how, text }: View,
  isShown: boolean,
): boolean {
  if (atoms.length === 0) return statesEmpty(text);
  if (!GUESSED_IN.has(how)) return false;
  // A digit stays itself under rot13: it has been judged where it was written.
  return clauses(how === 'rot13' ? text.replace(/\d/g, ' ') : text).some((clause) => {
    const isAnswer = CUE.test(clause);
    if (isShown && !isAnswer && /\w+\W+\w+/.test(clause)) return false;
    return (
      atoms.every((atom) => statesAtom(atom, clause, isAnswer)) ||
      (clause.includes(literal) && /^[[({]/.test(literal))
    );
  });
}

/** Codings in which one digit or word is no coincidence. */
const GUESSED_IN = new Set([
  'plain',
  'base64',
  'rot13',
  'escapes',
  'morse',
  'other languages',
  'spelling alphabet',
]);

function statesAtom(atom: Atom, clause: string, isAnswer: boolean): boolean {
  switch (atom.kind) {
    case 'number': {
      const rules = isAnswer ? STRONG : [...STRONG, ...WEAK];
      const masked = rules.reduce(
        (current, rule) => current.replace(rule, ' ~ '),
        inDigits(clause.replace(PRONOUN, ' ~ ')),
      );
      return [...statedNumbers(masked), ...reckonedNumbers(clause)].some((value) => equal(value, atom.value));
    }
    case 'word':
      return atom.text === 'None'
        ? /\bNone\b(?! of\b)(?<!^None(?= (?:is|are|was|were)\b(?!.*\banswer)))/.test(clause)
        : statesTruth(atom.text, clause, isAnswer);
    case 'text':
      return statesLetter(atom.text, clause);
  }
}

/** Sentences about the course of a program speak of conditions that are true or false. */
const OF_CONDITION =
  /\b(?:conditions?|branch(?:es)?|checks?|tests?|comparisons?|guards?|predicates?|expressions?|flags?|clauses?|assertions?|claims?|statements?|premises?|assumptions?|cases?)\b[^.;]{0,30}\b(?:true|false)\b|\b(?:true|false)\s+(?:branch|case|side|path|condition|positive|negative|claim|statement|start|alarm|premise|assumption)s?\b|\b(?:true|false) (?:that|of|for|when|whenever|if|only)\b|\b(?:hold|holds|stay|stays|remains?|becomes?|turns?) (?:true|false)\b/gi;

function statesTruth(word: string, clause: string, isAnswer: boolean): boolean {
  const other = word === 'True' ? 'False' : 'True';
  const rest =
    isAnswer && !/\b(?:condition|branch|check|comparison)\b/i.test(clause)
      ? clause
      : clause.replace(OF_CONDITION, ' ~ ');
  const negated =
    /\b(?:not|never|opposite of|negation of|contrary of|anything but|isn['’]t|cannot be|instead of|rather than)\s+['"`]?/;
  const denied = new RegExp(`${negated.source}${word}\\b`, 'i').test(rest);
  if (new RegExp(`${negated.source}${other}\\b`, 'i').test(rest)) return true;
  if (!denied && new RegExp(`\\b${word}\\b`, 'i').test(rest)) return true;
  return (
    isAnswer &&
    new RegExp(
      word === 'True'
        ? String.raw`\b(?:is|be|been|with|say) yes\b`
        : String.raw`\b(?:is|be|been|with|say) no\b(?=[.,;!)]|$)`,
      'i',
    ).test(rest)
  );
}

/** A letter in quotes, as an option, or a capital standing alone; lower-case letters are names of variables. */
function statesLetter(letter: string, clause: string): boolean {
  if (letter === '') return statesEmpty(clause);
  if (letter.length > 1) return clause.includes(letter);
  const escaped = letter.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (new RegExp(`['"\`‘“]${escaped}['"\`’”]`).test(clause)) return true;
  if (!/\p{L}|\p{N}/u.test(letter)) return false;
  const named = new RegExp(
    String.raw`\b(?:options?|choices?|letter|character|answers?|results?|is|be|been|outputs?|returns?|expected)[: ]+${escaped}(?![\p{L}\p{N}'’])`,
    'u',
  );
  if (named.test(clause) && !/^a$/i.test(letter)) return true;
  return /[B-HJ-Z]/.test(letter)
    ? new RegExp(`(?<![\\p{L}\\p{N}'’])${escaped}(?![\\p{L}\\p{N}'’])`, 'u').test(clause)
    : /[AI]/.test(letter) &&
        new RegExp(
          `(?<![\\p{L}\\p{N}'’])${escaped}(?=[.,;:)!]|$)|\\b(?:option|choice|answer) ${escaped}\\b`,
          'u',
        ).test(clause);
}

/** Of an agent's own text, or in a condition, emptiness is no answer. */
const EMPTY_ELSEWHERE =
  /\b(?:when|if|while|whether|unless|where)\b[^.;]{0,30}\bempty\b|\b(?:for|on|of|with|about|handles?) (?:an? |the |some |any )?empty\b|\b(?:blocks?|answer|response|plan|trace|reasoning|tags?|section|message|field|docstring|body)\b[^.;]{0,12}\b(?:is|was|stays|are) empty\b|\bempty (?:input|case|line|branch|answer|response|plan|trace|reasoning|block|tag|section)/gi;

function statesEmpty(text: string): boolean {
  if (/\[\]|\(\)|\{\}|''|""/.test(text)) return true;
  const rest = text.replace(EMPTY_ELSEWHERE, ' ~ ');
  return (
    /\bempty\b/i.test(rest) ||
    (CUE.test(rest) &&
      /\b(?:nothing (?:at all|is left|remains)|no (?:elements|items|characters|entries)(?: at all)?)\b/i.test(
        rest,
      ))
  );
}
