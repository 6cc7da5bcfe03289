import { evaluateInteger } from './arithmetic.ts';
import { logicalLines } from './program-reader.ts';
import type { PlainType } from './static-types.ts';

/**
 * What a line-by-line trace in the compact pack's language shows of its steps (`y=x+1=2+1=3`, `x>2: 3>2 yes`, `try 4`, `back`); prose is
 * read for its equalities only. Nothing is executed and no right value is computed beyond equalities the text itself states.
 */
export type ReasoningFeatures = {
  /** A step is shown: an equality, a decided condition, or at least `PROSE_WORDS` words of prose. */
  present: boolean;
  /** Stated steps: equalities and decided conditions. */
  steps: number;
  /** Number (from 1) of the first step that contradicts itself, the visible program or an earlier step; null when none was seen. */
  inconsistentStep: number | null;
};

/** Reasoning of real models is prose: twenty words are more than a refusal to reason ("direct", "the answer is 7"). */
const PROSE_WORDS = 20;

type Step =
  | { kind: 'equality'; parts: string[] }
  | { kind: 'condition'; stated: string; shown: string; holds: boolean };
/** `backward`: the attempt goes from the result to the input, so a value stated earlier belongs to a later line. */
type Item = Step | { kind: 'attempt'; input: string; backward: boolean };

const OUTSIDE = 0;

/** Splits at spaces and newlines outside brackets and quotes, so that `x=[i+1 for i in x]=[2,3]` stays one word. */
function words(text: string): string[] {
  const found: string[] = [];
  let word = '';
  let before = '';
  let depth = OUTSIDE;
  let quote = '';
  for (const character of text) {
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === "'" && !/\p{L}/u.test(before)) quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth = Math.max(OUTSIDE, depth - 1);
    if (/\s/.test(character) && depth === OUTSIDE && quote === '') {
      if (word !== '') found.push(word);
      word = before = '';
    } else {
      word += character;
      before = character;
    }
  }
  if (word !== '') found.push(word);
  return found;
}

/** Parts of `a=b=c`, cut at single equal signs outside brackets and quotes. */
function equalityParts(word: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = OUTSIDE;
  let quote = '';
  for (const character of word) {
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === "'") quote = character;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (character === '=' && depth === OUTSIDE && quote === '') {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}

function readSteps(thought: string): Item[] {
  const found: Item[] = [];
  // White space is collapsed first: a pattern that starts with any amount of it takes quadratic time.
  const list = words(
    thought
      .replace(/\s+/g, ' ')
      // Prose puts blanks around signs; `5 * 3 = 15` must not be read as `3 = 15`.
      .replace(/(?<=[\w)\]]) (\/\/|[-+*%]) (?=[\w([-])/g, '$1')
      .replace(/ ?(?<![=<>!])=(?!=) ?/g, '='),
  );
  for (let index = 0; index < list.length; index++) {
    const word = list[index]!;
    const verdict = list[index + 2];
    if (word === 'try' && index + 1 < list.length && !list[index + 1]!.includes('='))
      found.push({ kind: 'attempt', input: list[++index]!, backward: false });
    else if (word === 'try' || word === 'back')
      found.push({ kind: 'attempt', input: '', backward: word === 'back' });
    else if (/^\w+[<>]-?\d+:$/.test(word) && (verdict === 'yes' || verdict === 'no')) {
      found.push({
        kind: 'condition',
        stated: word.slice(0, -1),
        shown: list[index + 1]!,
        holds: verdict === 'yes',
      });
      index += 2;
    } else {
      const parts = equalityParts(word.replace(/[.,;]$/, ''));
      if (parts.length >= 2 && parts.every((part) => part !== '' && !/[<>!]$/.test(part)))
        found.push({ kind: 'equality', parts });
    }
  }
  return found;
}

const NAME = /^[^\W\d]\w*$/;
/** A longer one is no value that a trace is compared by, and stands in an expression as often as its name does. */
const VALUE = /^-?\d{1,100}$/;

/** Replaces each known variable; null when one of them has no stated value. */
function substitute(expression: string, values: ReadonlyMap<string, string>): string | null {
  let known = true;
  const text = expression.replace(/(?<![\w'])[^\W\d]\w*(?!\w|\()/g, (name) => {
    const value = values.get(name);
    if (value === undefined) known = false;
    return value !== undefined && value.startsWith('-') ? `(${value})` : (value ?? name);
  });
  return known ? text : null;
}

/** `8 * (-3)` and `8*-3` state the same substitution. */
const plain = (text: string): string => text.replace(/\s+/g, '').replace(/\((-\d+)\)/g, '$1');

/** True when two sides of the stated equality are arithmetic and differ. */
function arithmeticContradicts(parts: string[]): boolean {
  for (let index = 0; index + 1 < parts.length; index++) {
    const left = evaluateInteger(parts[index]!);
    const right = evaluateInteger(parts[index + 1]!);
    if (left !== null && right !== null && left !== right) return true;
  }
  return false;
}

/**
 * True when a step of a line-by-line trace contradicts the program's lines or a value stated earlier. Updates `values`.
 * `last` allows the closing `y=24`, which repeats a value instead of setting one, to be compared with it.
 */
function copyContradicts(
  parts: string[],
  sources: ReadonlySet<string> | null,
  values: Map<string, string>,
  last: boolean,
): boolean {
  const [target, expression] = parts as [string, string, ...string[]];
  const result = parts.at(-1)!;
  const assigned = NAME.test(target) && parts.length >= 3;
  if (assigned && sources && !sources.has(plain(`${target}=${expression}`))) return true;
  const repeats = NAME.test(target) && parts.length === 2;
  if (
    repeats &&
    last &&
    sources?.has(`return${target}`) &&
    values.has(target) &&
    values.get(target) !== result
  )
    return true;
  const source = assigned ? expression : target;
  const shown = parts[assigned ? 2 : 1]!;
  const expected = substitute(source, values);
  const arithmetic =
    /^[-\w+*%/(), ]*$/.test(source) && !/\w\(/.test(source.replace(/\b(?:abs|max|min)\(/g, '('));
  if (
    !repeats &&
    arithmetic &&
    expected !== null &&
    !/^-?\d+$/.test(source) &&
    evaluateInteger(shown) !== null
  ) {
    const sum = evaluateInteger(expected);
    if (plain(expected) !== plain(shown) && (sum === null || sum !== evaluateInteger(shown))) return true;
  }
  if (NAME.test(target)) {
    if (VALUE.test(result)) values.set(target, result);
    else values.delete(target);
  }
  return false;
}

function conditionContradicts(
  step: Extract<Step, { kind: 'condition' }>,
  values: ReadonlyMap<string, string>,
): boolean {
  const stated = /^(\w+)([<>])(-?\d+)$/.exec(step.stated);
  const shown = /^\(?(-?\d+)\)?([<>])(-?\d+)$/.exec(step.shown);
  if (!stated || !shown || stated[2] !== shown[2] || stated[3] !== shown[3]) return true;
  const [left, right] = [Number(shown[1]), Number(shown[3])];
  if ((shown[2] === '<' ? left < right : left > right) !== step.holds) return true;
  const known = values.get(stated[1]!);
  return known !== undefined && Number(known) !== left;
}

export type TraceContext = {
  /** The source the agent saw; null when it saw none, and copies cannot be checked then. */
  program: string | null;
  /** The literal the agent was given; null when it had to find one. */
  input: string | null;
  /** The call may raise, so the last line may be copied without a value. */
  mayRaise: boolean;
};

/** Reads a thought as a trace of the program. */
export function compactTrace(thought: string, { program, input, mayRaise }: TraceContext): ReasoningFeatures {
  const items = readSteps(thought);
  const sources =
    program === null ? null : new Set(logicalLines(program).lines.map(({ text }) => plain(text)));
  const parameter = /def\s+\w+\(\s*(\w+)/.exec(program ?? '')?.[1] ?? 'x';
  const values = new Map<string, string>();
  const begin = (given: string): void => {
    values.clear();
    if (VALUE.test(given.trim())) values.set(parameter, given.trim());
  };
  begin(input ?? '');
  let steps = 0;
  let inconsistentStep: number | null = null;
  const prose = thought.split(/\s+/).filter((word) => /^\p{L}{2,}[.,;:]?$/u.test(word)).length >= PROSE_WORDS;
  let backward = false;
  const contradicts = (item: Step, last: boolean): boolean => {
    if (item.kind === 'condition') return conditionContradicts(item, values);
    if (mayRaise && last && sources?.has(plain(item.parts.join('='))) === true) return false;
    // Prose names variables freely ("n=5, later n=8"), so only its arithmetic is held against it.
    return (
      arithmeticContradicts(item.parts) || (!prose && copyContradicts(item.parts, sources, values, last))
    );
  };
  items.forEach((item, index) => {
    if (item.kind === 'attempt') {
      ({ backward } = item);
      return begin(item.input);
    }
    if (backward) values.clear();
    steps++;
    const following = items[index + 1];
    const last = following === undefined || following.kind === 'attempt';
    if (contradicts(item, last)) inconsistentStep ??= steps;
  });
  return { present: steps > 0 || prose, steps, inconsistentStep };
}

/** What a plan in the compact form (`3 steps on list with loop`, `search inputs on int`) commits itself to. */
type StatedPlan = { steps: number | null; type: PlainType | null; loop: boolean | null };

/**
 * Reads a plan. Only the compact form is a promise about the program; a plan in prose may rightly have fewer steps than the
 * program has statements, so it states nothing that could be held against it.
 */
export function readPlan(plan: string): StatedPlan {
  const steps = /^(\d{1,3}) steps?(?: on (int|list|str))?( with loop)?$/.exec(plan.trim());
  if (steps)
    return {
      steps: Number(steps[1]),
      type: (steps[2] as PlainType | undefined) ?? null,
      loop: steps[3] !== undefined,
    };
  const search = /^search inputs on (int|list|str)$/.exec(plan.trim());
  return { steps: null, type: (search?.[1] as PlainType | undefined) ?? null, loop: null };
}
