import { z } from 'zod';

/**
 * What can go wrong, by the room that says so first. A kind is what programs compare, so that a window can offer the remedy that
 * fits; the sentence of a failure is what a person reads.
 */
export const FAILURE_KINDS = [
  // cli and hosts
  'datasetImport', // some rows of a dataset cannot be imported
  'datasetOptions', // options that do not go together
  'desktopFailed', // the desktop window did not start
  'folderDiffers', // the server at that address works in another lab
  'notServed', // no server answers there
  'nothingEvaluated',
  'portInUse',
  'usage', // a wrong flag or argument
  'windowDamaged',
  'windowNotBuilt',
  // engine: runs, checkpoints, storage
  'acknowledgementNeeded', // a warning has to be confirmed first
  'badName',
  'badRecording',
  'checkpointChanged', // its files are not the ones that were stored
  'embedded', // comes with the application, so it cannot be removed
  'executionDisabled', // programs of models may not run here
  'fileChanged',
  'inUse',
  'ioError',
  'labFolder',
  'nameTaken',
  'noCheckpoint',
  'noContext',
  'noDemo',
  'notEmpty',
  'notRecorded',
  'probeUnderWay',
  'refused', // a file of a kind that is never taken
  'runDone',
  'runGone',
  'runNotAtWork',
  'sampleClosed',
  'selfTest',
  'stopped',
  'tooManyFilters',
  'tooManyJobs',
  'unknownJob',
  'unknownModel',
  // engine: evaluations, audits, reviews
  'auditTooLarge',
  'badPython',
  'evaluationAtWork',
  'evaluationDone',
  'evaluationFailed',
  'judgeAtWork',
  'noDataset',
  'noJudge',
  'nothingLoadAffected',
  'nothingToAudit',
  'nothingToEvaluate',
  'otherItems', // two evaluations asked different items
  'unknownDataset',
  'unknownQuestion',
  'unknownRecord',
  'unknownStep',
  // evaluation
  'badDataset',
  'badHash',
  'badJson',
  'badPickle',
  'badReference',
  'badShape',
  'datasetChanged',
  'unknownProtocol',
  'unknownSuite',
  // evolution and models
  'badTask',
  'notFinite', // a loss or gradient that is no number
  'nothingToLearn', // a stage has too little to train on
  'trainerLost',
  // supervision
  'badChecklist',
  'badReview',
  'noSuchRecord',
  'noSuchReview',
  'noSuchStep',
  'rawItem',
  'reviewerUnavailable',
  // library
  'badFile',
  'badManifest',
  'cannotWrite',
  'fileExists',
  'missingFile',
  'missingModel',
  'outsidePlaces',
  'promptPack',
  // store
  'alteredSchema',
  'badCursor',
  'badRecord',
  'cannotOpen',
  'checkFailed', // a thread at work on a database died
  'configChanged',
  'corrupt',
  'evaluationConflict',
  'evaluationState',
  'initialConflict',
  'labLocked',
  'labReplaced', // the database or its log was deleted or exchanged under the program
  'migration',
  'modelChanged',
  'newerSchema',
  'noLab',
  'notALab',
  'olderSchema',
  'readOnly',
  'runAtWork',
  'runExists',
  'stepConflict',
  'stepGap',
  'transition',
  'unknownAudit',
  'unknownAuditItem',
  'unknownEvaluation',
  'unknownEvaluationItem',
  'unknownRun',
  'unsafeStorage',
  // experiments
  'different', // a study came out otherwise than the one it is compared with
  'noStudy',
  'nothingInCommon',
  'otherStudy', // the folder holds a study of another plan
  // processes: starting, losing and asking a child
  'badAnswer',
  'closed',
  'crashLoop',
  'handshake',
  'hung', // native code did not come back, twice
  'notStarted',
  'processLost',
  'processUnavailable',
  'protocol', // a message that breaks the protocol
  'protocolMismatch', // a program of another version
  'requestKillsProcess',
  'timeout',
  // children: what trainer, runner, grader and supervisor say of a request
  'alreadyStarted',
  'badModel',
  'badRequest',
  'cancelled',
  'diskFull',
  'internal', // a surprise, or a kind this program does not know
  'levelUnavailable',
  'missingPackage',
  'noInterpreter',
  'notLoaded',
  'notReady',
  'oom',
  'parse',
  'promptTooLong',
  'sandboxFailed',
  'startFailed',
  'tooLarge',
  'unknownOp',
  'unknownRollout',
  'versionMismatch',
  'wrongVersion',
] as const;
export const failureKindSchema = z.enum(FAILURE_KINDS);
export type FailureKind = z.infer<typeof failureKindSchema>;

/** An error a person can act on: one sentence that says what was wrong, where, and what to do. The command line prints it and exits with `exitCode`. */
export class Failure extends Error {
  readonly kind: FailureKind;
  /** 2 for wrong usage (bad flags, config or input files named on the command line), 1 otherwise. */
  readonly exitCode: 1 | 2;
  /** The sentence, and what explains it: the message has each on a line of its own. A line break within one was quoted, and is none of ours. */
  readonly lines: readonly string[];

  constructor(
    kind: FailureKind,
    sentence: string,
    exitCode: 1 | 2 = 1,
    { details = [], ...options }: ErrorOptions & { details?: readonly string[] } = {},
  ) {
    const lines = [sentence, ...details];
    super(lines.join('\n'), options);
    this.name = 'Failure';
    this.kind = kind;
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a section of keys and values',
  record: 'a section of keys and values',
};

/** What a value has to be where a schema refuses it, such as "it must be a whole number", without a full stop. */
export function wantedValue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `it must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `it must be one of ${issue.values.map(String).join(', ')}`;
  // Of a union told apart by a key zod says which keys there are, though its type does not.
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return `it must be one of ${issue.options.join(', ')}`;
  const bound = boundWords(issue);
  return bound ?? issue.message.replace(/\.$/, '');
}

/** A limit of the schema in words; null where the schema has words of its own. */
function boundWords(issue: z.core.$ZodIssue): string | null {
  if (issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return wantedSize(issue.origin, issue.inclusive === false ? 'above' : 'at least', issue.minimum);
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return wantedSize(issue.origin, issue.inclusive === false ? 'below' : 'at most', issue.maximum);
  return null;
}

const SIZED: Readonly<Record<string, string>> = { string: 'character', array: 'entry' };

function wantedSize(origin: string, bound: string, limit: number | bigint): string {
  const of = SIZED[origin];
  if (of === undefined) return `it must be ${bound} ${limit}`;
  return `it must have ${bound} ${limit} ${limit === 1 || limit === 1n ? of : `${of.replace(/y$/, 'ie')}s`}`;
}
