import type { CsvTable, JudgeCalibration } from '../../../../electron/contract/index.ts';

const AGREEMENT = [
  'n',
  'agreement',
  'agreement_low',
  'agreement_high',
  'kappa',
  'kappa_low',
  'kappa_high',
  'people_yes',
  'judge_yes',
  'unjudged',
  'tied',
  'unanimous_n',
  'unanimous_agreed',
] as const;

const agreementOf = (one: JudgeCalibration): (number | null | undefined)[] => [
  one.n,
  one.agreement.share,
  one.agreement.low,
  one.agreement.high,
  one.kappa?.kappa,
  one.kappa?.low,
  one.kappa?.high,
  one.humanRate,
  one.judgeRate,
  one.unjudged,
  one.tied,
  one.unanimous.n,
  one.unanimous.agreed,
];

type Judge = { name: string; sha256: string | null; calibrations: readonly JudgeCalibration[] };

/** Every judge with its newest calibration against people; shares between 0 and 1 with their 95 % intervals. */
export const judgesTable = (judges: readonly Judge[], chosen: string | null): CsvTable => ({
  columns: ['judge', 'sha256', 'chosen', 'set', ...AGREEMENT, 'at'],
  rows: judges.map(({ name, sha256, calibrations: [newest] }) => [
    name,
    sha256,
    name === chosen,
    newest?.set,
    ...(newest === undefined ? AGREEMENT.map(() => null) : agreementOf(newest)),
    newest?.at,
  ]),
});

/** Every calibration, newest first. */
export const calibrationsTable = (calibrations: readonly JudgeCalibration[]): CsvTable => ({
  columns: ['judge', 'sha256', 'rubric_version', 'set', 'set_sha256', ...AGREEMENT, 'at'],
  rows: calibrations.map((one) => [
    one.judge.name,
    one.judge.sha256,
    one.judge.promptVersion,
    one.set,
    one.setSha256,
    ...agreementOf(one),
    one.at,
  ]),
});
