import type { AzrConfig } from '../../../contract/index.ts';
import { renderLiteral, valueKey, type LiteralStyle } from '../../../core/index.ts';
import type { CheckResult } from '../../../processes/index.ts';
import { callFailure, type RejectionReason } from './reasons.ts';

export type GoldRules = Pick<AzrConfig, 'validator' | 'maxLiteralChars'> & {
  /** How literals are written into tasks: as the policy's prompt pack writes them. */
  literalStyle: LiteralStyle;
};
export type GoldText = { ok: true; text: string } | { ok: false; reason: RejectionReason };

/**
 * The gold of types that ask for, or start from, the returned value. strict refuses what cannot become a fair task:
 * exceptions, non-determinism, None, NaN, values that are no plain data, and outputs longer than the limit.
 * azr-compat accepts an exception whose class name lacks "Error", and non-determinism, with an empty output (so nobody can
 * ever solve them), and shortens a long output to its ends; values that are no plain data are refused here all the same.
 */
export function returnedValue(check: CheckResult, call: number, rules: GoldRules): GoldText {
  return rules.validator === 'strict' ? strictValue(check, call, rules) : compatValue(check, call);
}

function strictValue(check: CheckResult, call: number, rules: GoldRules): GoldText {
  const failure = callFailure(check, call);
  if (failure !== null) return { ok: false, reason: failure };
  if (!check.deterministic) return { ok: false, reason: 'non-deterministic' };
  const value = check.calls[call]?.value;
  if (value === undefined) return { ok: false, reason: 'died' };
  if (value[0] === 'n') return { ok: false, reason: 'empty-output' };
  if (valueKey(value, 'strict') === null) return { ok: false, reason: 'not-comparable' };
  const text = renderLiteral(value, rules.literalStyle);
  return text.length > rules.maxLiteralChars ? { ok: false, reason: 'too-long' } : { ok: true, text };
}

/** Characters kept at each end when the original shortens an output. */
const COMPAT_KEPT_CHARS = 200;

function compatValue(check: CheckResult, call: number): GoldText {
  const failure = callFailure(check, call);
  const error = (check.calls[call]?.error ?? check.error)?.type ?? '';
  if (failure === 'raised' && !/error/i.test(error)) return { ok: true, text: '' };
  if (failure !== null) return { ok: false, reason: failure };
  const value = check.calls[call]?.value;
  if (!check.deterministic || value === undefined || valueKey(value, 'python') === null)
    return { ok: true, text: '' };
  const text = renderLiteral(value, 'repr');
  return {
    ok: true,
    text:
      text.length > COMPAT_KEPT_CHARS * 2
        ? `${text.slice(0, COMPAT_KEPT_CHARS)}...${text.slice(-COMPAT_KEPT_CHARS)}`
        : text,
  };
}
