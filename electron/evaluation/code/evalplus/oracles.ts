import { hexToInt, encodedInt, valueKey } from '../../../core/index.ts';
import type { EncodedValue } from '../../../contract/index.ts';
import type { ObservedValue } from '../../../processes/index.ts';
import {
  areClose,
  isFloats,
  realNumber,
  compatiblyEqual,
  isPlain,
  strictlyEqual,
} from '../values/compare.ts';
import type { EvalPlusTask } from './task.ts';

/** What a program returned for one input; `also` as the task's special rule asks (see alsoWanted). */
type ObservedCall = { value: ObservedValue; also?: ObservedValue | null };
type Verdict = { compatible: boolean; strict: boolean };

/** Tolerance as soon as an expected value is made of floats (EvalPlus). */
const FLOAT_TOLERANCE = 1e-6;
const AS_SETS = new Set([
  'similar_elements',
  'find_char_long',
  'common_in_nested_lists',
  'extract_singly',
  'larg_nnum',
  'intersection_array',
  'find_dissimilar',
  'Diff',
]);
const NOT_NONE = new Set(['check_str', 'text_match_three', 'text_starta_endb']);

/** What has to be told of every call besides its value, so that the special rule of this task can be applied outside. */
export function alsoWanted({ dataset, entryPoint }: EvalPlusTask): 'set' | 'arguments' | undefined {
  if (dataset === 'humaneval') return entryPoint === 'find_zero' ? 'arguments' : undefined;
  return AS_SETS.has(entryPoint) ? 'set' : undefined;
}

/**
 * Judges the inputs of one run in their order. `compatible` is EvalPlus's verdict with its quirk: the tolerance that one
 * expected float brings in stays for all later inputs of the run. `strict` uses a tolerance only for the input whose own
 * expected value has floats and between values built alike, takes nothing for an answer that is not plain data, believes nothing that
 * the program says beside its value, and asks for the expected value where EvalPlus asks for less.
 */
export function createJudge(
  task: EvalPlusTask,
): (out: ObservedCall, expected: ObservedCall, input: readonly EncodedValue[]) => Verdict {
  let sticky = task.tolerance;
  return (out, expected, input) => {
    if (task.dataset === 'humaneval' && task.entryPoint === 'find_zero') {
      const left = out.also?.[0] === 'l' ? out.also[1][0] : undefined;
      return {
        compatible: isZero(left, out.value, task.tolerance),
        strict: isPlain(out.value) && isZero(input[0], out.value, task.tolerance),
      };
    }
    const compatible = specialRule(task, out, expected, input, sticky, compatiblyEqual);
    const strict = strictRule(task, out, expected, input);
    const hasFloats = isFloats(expected.value);
    if (sticky === 0 && hasFloats && compatible !== 'raised') sticky = FLOAT_TOLERANCE;
    const own = task.tolerance === 0 && hasFloats ? FLOAT_TOLERANCE : task.tolerance;
    return {
      compatible: settle(compatible, out, expected, sticky),
      strict: strict || (own !== 0 && areClose(out.value, expected.value, own, true)),
    };
  };
}

/** What a task asks for, by what is known outside of the program: the input, the expected value, the value returned. */
function strictRule(
  task: EvalPlusTask,
  out: ObservedCall,
  expected: ObservedCall,
  input: readonly EncodedValue[],
): boolean {
  const { entryPoint } = task;
  if (task.dataset === 'mbpp' && AS_SETS.has(entryPoint)) {
    const [found, wanted] = [memberKeys(out.value), memberKeys(expected.value)];
    return (
      found !== null &&
      wanted !== null &&
      found.size === wanted.size &&
      [...found].every((key) => wanted.has(key))
    );
  }
  if (task.dataset === 'mbpp' && NOT_NONE.has(entryPoint)) {
    if (out.value[0] === 'b') return out.value[1] === (expected.value[0] !== 'n');
    // A match has no value to compare; whether there is one is the answer.
    const isMatch = out.value[0] === 'x' && expected.value[0] === 'x' && out.value[1] === expected.value[1];
    return isMatch || strictlyEqual(out.value, expected.value);
  }
  if (task.dataset === 'mbpp' && (entryPoint === 'are_equivalent' || entryPoint === 'sum_div'))
    return strictlyEqual(out.value, expected.value);
  // A second reading takes any number; one of another type is an answer only where the reference gives it.
  if (!isPlain(out.value) && isPlain(expected.value)) return false;
  return specialRule(task, out, expected, input, task.tolerance, strictlyEqual) === true;
}

/** What a plain list, tuple or set holds; null for anything else, also where Python's set() makes one of it: a text, a dict. */
function memberKeys(value: ObservedValue): Set<string> | null {
  if (!isPlain(value)) return null;
  if (value[0] !== 'l' && value[0] !== 't' && value[0] !== 'S' && value[0] !== 'F') return null;
  const members = value[1].map((member) => valueKey(member, 'python'));
  return members.includes(null) ? null : new Set(members as string[]);
}

type Outcome = boolean | 'raised';

function settle(exact: Outcome, out: ObservedCall, expected: ObservedCall, tolerance: number): boolean {
  if (exact === 'raised') return false;
  return exact || (tolerance !== 0 && areClose(out.value, expected.value, tolerance));
}

type Equality = typeof compatiblyEqual;

/** The comparison of a task, which for a few is not `==`; 'raised' where the original's would raise an exception. */
function specialRule(
  task: EvalPlusTask,
  out: ObservedCall,
  expected: ObservedCall,
  input: readonly EncodedValue[],
  tolerance: number,
  equal: Equality,
): Outcome {
  if (task.dataset === 'mbpp' && AS_SETS.has(task.entryPoint)) {
    if (!out.also || !expected.also) return 'raised';
    return equal(out.also, expected.also);
  }
  if (task.dataset === 'mbpp' && NOT_NONE.has(task.entryPoint))
    return fitsNotNone(out.value, expected.value, equal);
  const exact = equal(out.value, expected.value);
  if (exact || task.dataset !== 'mbpp') return exact;
  switch (task.entryPoint) {
    case 'are_equivalent':
      return true;
    case 'sum_div':
      return equal(out.value, encodedInt(0));
    case 'surface_Area': {
      const [area, other] = [realNumber(out.value), pyramidArea(input)];
      return area === null || other === null ? 'raised' : Math.abs(area - other) <= tolerance;
    }
    case 'digit_distance_nums': {
      const distance = digitDistance(input);
      return distance === null ? 'raised' : equal(out.value, encodedInt(distance));
    }
    default:
      return false;
  }
}

/** Only whether there was a result counts; an answer of True or False says it itself. */
function fitsNotNone(out: ObservedValue, expected: ObservedValue, equal: Equality): boolean {
  const wanted = expected[0] !== 'n';
  return out[0] === 'b' ? equal(out, ['b', wanted]) : wanted === (out[0] !== 'n');
}

/** Whether a number is a root of the polynomial with these coefficients; EvalPlus takes what the program left of its argument. */
function isZero(coefficients: ObservedValue | undefined, out: ObservedValue, tolerance: number): boolean {
  const x = realNumber(out);
  if (coefficients?.[0] !== 'l' || x === null) return false;
  let sum = 0;
  for (const [power, coefficient] of coefficients[1].entries()) {
    const [factor, raised] = [realNumber(coefficient), x ** power];
    // Python refuses a power that overflows; an infinite x has none that does.
    if (factor === null || (Number.isFinite(x) && !Number.isFinite(raised))) return false;
    sum += factor * raised;
  }
  return Math.abs(sum) <= tolerance;
}

/** Second reading of Mbpp/581: the height is the pyramid's own, not its side's. */
function pyramidArea([base, height]: readonly EncodedValue[]): number | null {
  const [edge, tall] = [base && realNumber(base), height && realNumber(height)];
  if (edge == null || tall == null) return null;
  const slant = Math.sqrt((edge / 2) ** 2 + tall ** 2);
  return roundHalfEven(edge ** 2 + (4 * (edge * slant)) / 2);
}

function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const part = value - below;
  if (part !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** Second reading of Mbpp/558: digit by digit, the shorter number filled with zeros. Null where that has no digits. */
function digitDistance([first, second]: readonly EncodedValue[]): number | null {
  if (first?.[0] !== 'i' || second?.[0] !== 'i') return null;
  const [left, right] = [hexToInt(first[1]), hexToInt(second[1])];
  if (left < 0n || right < 0n) return null;
  const length = Math.max(`${left}`.length, `${right}`.length);
  const [a, b] = [`${left}`.padStart(length, '0'), `${right}`.padStart(length, '0')];
  let distance = 0;
  for (let at = 0; at < length; at += 1) distance += Math.abs(Number(a[at]) - Number(b[at]));
  return distance;
}
