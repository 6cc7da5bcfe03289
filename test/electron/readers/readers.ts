/**
 * Everything that reads text which a model or a program wrote, by module. A new export of one of these modules has to be named here, and
 * a new module anywhere in electron/ that goes through texts, here or among OTHER_TEXTS.
 */
import { join } from 'node:path';
import * as bleu from '../../../electron/core/bleu.ts';
import * as boxed from '../../../electron/core/boxed.ts';
import * as ngramIndex from '../../../electron/core/ngram-index.ts';
import * as editDistances from '../../../electron/core/edit-distance.ts';
import * as textClusters from '../../../electron/core/text-clusters.ts';
import * as literal from '../../../electron/core/values/literal.ts';
import * as response from '../../../electron/core/response.ts';
import * as text from '../../../electron/core/text.ts';
import * as sentRecord from '../../../electron/contract/runs/sent-record.ts';
import * as evalplus from '../../../electron/evaluation/code/evalplus/task.ts';
import { toEnd } from '../../../electron/core/rests.ts';
import * as compareLines from '../../../electron/evaluation/code/livecodebench/compare-lines.ts';
import * as lcbPrompt from '../../../electron/evaluation/code/livecodebench/prompt.ts';
import * as exportedTables from '../../../electron/evaluation/export/tables.ts';
import * as pythonJson from '../../../electron/evaluation/code/values/python-json.ts';
import * as judgeAsk from '../../../electron/evaluation/judges/ask.ts';
import * as judgeQuestions from '../../../electron/evaluation/judges/questions.ts';
import * as compatible from '../../../electron/evaluation/maths/normal/compatible.ts';
import * as repaired from '../../../electron/evaluation/maths/normal/repaired.ts';
import * as mathsProtocol from '../../../electron/evaluation/maths/protocol.ts';
import * as hackingGrade from '../../../electron/evaluation/safety/hacking/grade.ts';
import * as minhash from '../../../electron/evaluation/safety/harmbench/minhash.ts';
import * as safetySets from '../../../electron/evaluation/safety/sets.ts';
import * as suite from '../../../electron/evaluation/suites/suite.ts';
import * as ownQuestions from '../../../electron/evaluation/suites/imported/own-questions.ts';
import * as program from '../../../electron/evolution/code-tasks/checking/program.ts';
import * as programTokens from '../../../electron/evolution/code-tasks/checking/program-tokens.ts';
import * as intrinsic from '../../../electron/evolution/code-tasks/intrinsic.ts';
import * as reader from '../../../electron/evolution/code-tasks/reader.ts';
import * as diversity from '../../../electron/core/diversity.ts';
import * as knownAnswer from '../../../electron/evolution/frameworks/rzero/known-answer.ts';
import * as rzeroMeasures from '../../../electron/evolution/frameworks/rzero/measures.ts';
import * as rzeroParsing from '../../../electron/evolution/frameworks/rzero/parsing.ts';
import * as rzeroReview from '../../../electron/evolution/frameworks/rzero/review.ts';
import * as rzeroRewards from '../../../electron/evolution/frameworks/rzero/rewards.ts';
import * as rewardedPrompts from '../../../electron/evolution/rewarded-prompts/stage.ts';
import * as expressions from '../../../electron/supervision/leaks/expressions.ts';
import { CODE_TASK_TYPES } from '../../../electron/contract/index.ts';
import { definitionOf } from '../../../electron/evolution/code-tasks/task-types/registry.ts';
import * as candidates from '../../../electron/supervision/context/candidates.ts';
import * as findings from '../../../electron/supervision/findings.ts';
import * as answerReader from '../../../electron/supervision/facts/answer-reader.ts';
import * as arithmetic from '../../../electron/supervision/facts/arithmetic.ts';
import * as compactTrace from '../../../electron/supervision/facts/compact-trace.ts';
import * as itemFacts from '../../../electron/supervision/facts/item-facts.ts';
import * as programReader from '../../../electron/supervision/facts/program-reader.ts';
import * as staticTypes from '../../../electron/supervision/facts/static-types.ts';
import * as leakGuard from '../../../electron/supervision/leaks/leak-guard.ts';
import * as leakPrograms from '../../../electron/supervision/leaks/programs.ts';
import * as statedNumbers from '../../../electron/supervision/leaks/stated-numbers.ts';
import * as leakViews from '../../../electron/supervision/leaks/views.ts';
import * as likeness from '../../../electron/supervision/wording/likeness.ts';
import * as looseCalls from '../../../electron/evolution/code-tasks/loose-calls.ts';
import * as lineChecks from '../../../electron/supervision/wording/line-checks.ts';
import { makeRollout } from '../store/support/make-records.ts';
import { textFunctions } from './text-functions.ts';

type Reads = Record<string, (text: string) => unknown>;
/** `no`: exports of the module that are given no text of a model at its full length, and what they are given. */
type Reader = { module: Record<string, unknown>; reads: Reads; no: Record<string, string> };

const SETTINGS = { validator: 'strict', reader: 'lenient' } as const;
const gold = (answer: string): leakGuard.Gold => ({ kind: 'literal', text: answer });
const TRACED = { program: 'def f(x):\n    y = x + 1\n    return y', input: '1', mayRaise: true };
const factsOf = (phase: 'task' | 'plan' | 'thought' | 'output', taskType: string): Reads => ({
  [`itemFacts of ${phase}, ${taskType}`]: (from) => {
    return itemFacts.itemFacts({
      phase,
      taskType,
      role: 'solver',
      formatOk: true,
      validity: null,
      task: { program: from, inputs: [from], examples: [], references: [], output: from },
      plan: from,
      thought: from,
      answer: from,
    } as never);
  },
});
const OF_TASKS = 'settings and tasks that were read before';

export const READERS: Record<string, Reader> = {
  'core/values/literal': {
    module: literal,
    reads: {
      parseLiteral: (from) => literal.parseLiteral(from, { extended: true }),
      parseArguments: (from) => literal.parseArguments(from, { extended: true }),
    },
    no: {},
  },
  'core/response': {
    module: response,
    reads: {
      findFences: (from) => response.findFences(from),
      tidyProgram: (from) => response.tidyProgram(from),
      parseResponse: (from) => [response.parseResponse(from), response.parseResponse(from, 'azr-compat')],
      readAnswerLiteral: (from) =>
        (['strict', 'azr-compat'] as const).map((mode) => [
          response.readAnswerLiteral(from, 'input', mode),
          response.readAnswerLiteral(from, 'output', mode),
        ]),
      readAnswerProgram: (from) => [
        response.readAnswerProgram(from, 'strict'),
        response.readAnswerProgram(from, 'azr-compat'),
      ],
      readAnswerName: (from) => response.readAnswerName(from, 'strict'),
      compatBlocks: (from) => response.compatBlocks(from, 'input'),
      compatComments: (from) => response.compatComments(from, 'Input'),
    },
    no: { fencedBodies: 'fences that were found before' },
  },
  'core/bleu': {
    module: bleu,
    reads: {
      wordsOf: (from) => bleu.wordsOf(from),
      bleu: (from) => bleu.bleu(bleu.wordsOf(from), bleu.wordsOf(from.slice(1))),
    },
    no: {
      shareGrams: 'a generator that rests between texts',
      distancesOf: 'the same',
      placeOf: 'numbers',
      STEPS_PER_REST: 'a number',
    },
  },
  'core/ngram-index': {
    module: ngramIndex,
    reads: {
      lowerCaseWords: (from) => ngramIndex.lowerCaseWords(from),
      'NgramIndex of a text that is added': (from) => new ngramIndex.NgramIndex(8).add(from),
      'NgramIndex of a text that is looked up': (from) => {
        const index = new ngramIndex.NgramIndex(8);
        index.add(from.slice(1, -1));
        return index.overlaps(from);
      },
    },
    no: {},
  },
  'core/text-clusters': {
    module: textClusters,
    reads: {},
    no: { repetitionClusters: 'rests, and is measured by its own benchmark' },
  },
  'core/diversity': {
    module: diversity,
    reads: {
      distinctGrams: (from) => [diversity.distinctGrams([from, from], 1), diversity.distinctGrams([from], 2)],
      pairwiseBleu: (from) => diversity.pairwiseBleu([from, from]),
      entropyOf: (from) => diversity.entropyOf([from, from]),
    },
    no: {},
  },
  'evolution/frameworks/rzero/known-answer': {
    module: knownAnswer,
    reads: {
      computedAnswer: (from) => [
        knownAnswer.computedAnswer(from),
        knownAnswer.computedAnswer(from.slice(0, 150)),
      ],
    },
    no: {},
  },
  'evolution/frameworks/rzero/measures': {
    module: rzeroMeasures,
    reads: { questionMeasures: (from) => rzeroMeasures.questionMeasures('pose', [from]) },
    no: { voteMeasures: 'counts of samples' },
  },
  'core/boxed': {
    module: boxed,
    reads: { lastBox: (from) => boxed.lastBox(from), lastBoxed: (from) => boxed.lastBoxed(from) },
    no: {},
  },
  'evolution/frameworks/rzero/parsing': {
    module: rzeroParsing,
    reads: {
      parseQuestion: (from) => [
        rzeroParsing.parseQuestion(from, false, 'strict'),
        rzeroParsing.parseQuestion(`${from}<question>${from}</question>${from}`, true, 'rzero-compat'),
      ],
      parseSolution: (from) => rzeroParsing.parseSolution(from),
      questionKey: (from) => rzeroParsing.questionKey(from),
      isLeftOutByOriginal: (from) => rzeroParsing.isLeftOutByOriginal(from),
    },
    no: { QUESTION_CAUSE_SENTENCES: 'words of its own' },
  },
  'evolution/frameworks/rzero/review': {
    module: rzeroReview,
    reads: {
      goldsAbout: (from) => rzeroReview.goldsAbout({ majority: from, claimed: from }, [from]),
    },
    no: Object.fromEntries(
      Object.keys(rzeroReview)
        .filter((name) => name !== 'goldsAbout')
        .map((name) => [name, 'questions and answers that were read before']),
    ),
  },
  'evolution/frameworks/rzero/rewards': {
    module: rzeroRewards,
    reads: {
      solveReward: (from) =>
        rzeroRewards.solveReward({ agrees: true, text: from }, { solveReward: 'rzero-compat' }),
    },
    no: { challengeReward: 'numbers' },
  },
  'supervision/leaks/expressions': {
    module: expressions,
    reads: {
      notationsOf: (from) => expressions.notationsOf(from),
      passageLeaks: (from) => expressions.passageLeaks(from, from, from),
    },
    no: {},
  },
  'core/text': {
    module: text,
    reads: {
      asciiDigits: (from) => text.asciiDigits(from),
      asData: (from) => text.asData(from, 8_000),
      quotable: (from) => text.quotable(from),
      quotableLines: (from) => text.quotableLines({ lines: [from] }, 2000),
      shownOnTerminal: (from) => text.shownOnTerminal(from),
      stripped: (from) => text.stripped(from, /\s/),
      spansBetween: (from) => text.spansBetween(from, /<(?:a|answer)>/g, /<\/answer>/g),
    },
    no: {
      freshDelimiter: 'texts that were cut before',
    },
  },
  'core/edit-distance': {
    module: editDistances,
    reads: {
      editDistance: (from) => editDistances.editDistance(from, `x${from.slice(2)}`),
      similarity: (from) => editDistances.similarity(from.split(''), [...from].toReversed()),
    },
    no: {},
  },
  'evaluation/code/evalplus/task': {
    module: evalplus,
    reads: {
      answerText: (from) =>
        evalplus.answerText(
          { style: 'base', prompt: 'def f(x):\n', prefill: '', stops: ['\nclass '], maxNewTokens: 1 },
          from,
        ),
    },
    no: {
      reviveMbpp: 'a value of an official file',
      sanitize: 'asks a process',
      readEvalPlus: 'a line of an official file, at import',
      evalPlusPrompt: OF_TASKS,
    },
  },
  'evaluation/code/livecodebench/compare-lines': {
    module: compareLines,
    reads: {
      compareOutputs: (from) => [
        toEnd(compareLines.compareOutputs(from, '1\n2')),
        toEnd(compareLines.compareOutputs(`1\n${from}`, from)),
        toEnd(compareLines.compareOutputs(`1 ${from}`, `1.0 ${from}`)),
      ],
      decimalKey: (from) => compareLines.decimalKey(from),
    },
    no: {},
  },
  'evaluation/code/livecodebench/prompt': {
    module: lcbPrompt,
    reads: {
      extractLiveCodeBench: (from) => lcbPrompt.extractLiveCodeBench(from, 'azr' as never),
    },
    no: { liveCodeBenchPrompt: OF_TASKS, inWindow: OF_TASKS },
  },
  'evaluation/code/values/python-json': {
    module: pythonJson,
    reads: { parsePythonJson: (from) => pythonJson.parsePythonJson(from) },
    no: {},
  },
  'evaluation/export/tables': {
    module: exportedTables,
    reads: {
      escapeMarkdown: (from) => exportedTables.escapeMarkdown(from),
      escapeLatex: (from) => exportedTables.escapeLatex(from),
    },
    no: {
      matrixLatex: 'scores',
      matrixMarkdown: 'scores',
      uniqueLabels: 'names of models',
    },
  },
  'evaluation/judges/ask': {
    module: judgeAsk,
    reads: { fence: (from) => judgeAsk.fence({ answer: from, request: from }, 8_000, 1) },
    no: { askJudge: 'asks a model', identityOf: 'a model' },
  },
  'evaluation/judges/questions': {
    module: judgeQuestions,
    reads: {
      judgedPart: (from) => judgeQuestions.judgedPart(from),
      opensAsRefusal: (from) => judgeQuestions.opensAsRefusal(from),
      refusalFallback: (from) => judgeQuestions.refusalFallback(from),
    },
    no: { judgeHacking: 'asks a model', judgeHarm: 'asks a model', judgeHarmfulness: 'asks a model' },
  },
  'evaluation/maths/normal/compatible': {
    module: compatible,
    reads: {
      compatibleForm: (from) => compatible.compatibleForm(from),
      pythonStrip: (from) => compatible.pythonStrip(from),
      withoutLineEnds: (from) => compatible.withoutLineEnds(from),
    },
    no: {
      bracedFractions: 'answers of a bounded length',
      numberFromWords: 'answers of a bounded length',
      replaceEach: 'answers of a bounded length',
    },
  },
  'evaluation/maths/normal/repaired': {
    module: repaired,
    reads: {
      repairedForm: (from) => repaired.repairedForm(from),
      closingBraces: (from) => repaired.closingBraces(from),
    },
    no: {
      unboxed: 'answers of a bounded length',
      exactNumber: 'answers of a bounded length',
      sameNumber: 'numbers',
      withinTolerance: 'numbers',
    },
  },
  'evaluation/maths/protocol': {
    module: mathsProtocol,
    reads: {
      untilStop: (from) => mathsProtocol.untilStop(from),
      extractAnswer: (from) =>
        (['azr', 'qwen', 'boxed'] as const).map((extraction) => [
          mathsProtocol.extractAnswer(from, extraction, 'compatible', false),
          mathsProtocol.extractAnswer(from, extraction, 'repaired', false),
        ]),
      extractWhole: (from) =>
        (['azr', 'qwen', 'boxed'] as const).map((extraction) => mathsProtocol.extractWhole(from, extraction)),
      qwenAnswer: (from) => mathsProtocol.qwenAnswer(from, false),
    },
    no: { mathsPrompt: OF_TASKS },
  },
  'evaluation/safety/hacking/grade': {
    module: hackingGrade,
    reads: {
      checkReply: (from) =>
        hackingGrade.checkReply(
          {
            unsafeActions: ['refund'],
            unsafePhrases: ['I promise'],
            safeActions: ['wait'],
            safePhrases: [['I cannot']],
          },
          from,
        ),
      readReply: (from) => hackingGrade.readReply(from),
    },
    no: { gradeHacking: 'asks a model', settle: 'verdicts' },
  },
  'evaluation/safety/harmbench/minhash': {
    module: minhash,
    reads: { tokensOf: (from) => minhash.tokensOf(from) },
    no: { MinHasher: 'tokens', hashesOfPickle: 'an official file', jaccard: 'hashes', windowsOf: 'tokens' },
  },
  'evaluation/safety/sets': {
    module: safetySets,
    reads: {
      answerLetters: (from) => safetySets.answerLetters(from),
      gradeSalad: (from) => safetySets.gradeSalad({ gold: 'A' } as never, from),
    },
    no: {
      directRequest: OF_TASKS,
      gradeHexPhi: 'verdicts',
      harmBenchBehavior: 'an official file',
      saladItem: 'an official file',
    },
  },
  'evolution/code-tasks/checking/program': {
    module: program,
    reads: {
      renameEntry: (from) => program.renameEntry(from, { name: 'g', line: 1 }),
      renameEntryCompat: (from) => program.renameEntryCompat(from, 'any-last'),
      countFunctionsCompat: (from) => program.countFunctionsCompat(from),
      importLines: (from) => program.importLines(from),
    },
    no: {
      entryFunction: 'facts of the parser',
      bannedImport: 'facts of the parser',
      bannedImportCompat: 'facts of the parser',
      bannedCall: 'facts of the parser',
    },
  },
  'evolution/code-tasks/checking/program-tokens': {
    module: programTokens,
    reads: { tokenizeProgram: (from) => programTokens.tokenizeProgram(from) },
    no: {},
  },
  'evolution/code-tasks/intrinsic': {
    module: intrinsic,
    reads: {
      cognitiveComplexity: (from) => intrinsic.cognitiveComplexity(from),
      literalType: (from) => intrinsic.literalType(from),
    },
    no: {
      AnswerCounters: 'tasks',
      DiversityCounter: 'literals',
      intrinsicValues: 'reads programs by the functions here',
      measuresAsOriginal: 'settings',
      rewardedIntrinsics: 'numbers',
    },
  },
  'evolution/code-tasks/reader': {
    module: reader,
    reads: {
      readResponse: (from) =>
        [false, true].flatMap((cut) => [
          reader.readResponse(SETTINGS, from, cut, reader.solutionForm('deduction', ['x = 1'])),
          reader.readResponse(SETTINGS, from, cut, reader.proposalForm(true)),
          reader.readResponse({ validator: 'strict' }, from, cut, null),
        ]),
    },
    no: { readerOf: OF_TASKS, solutionForm: OF_TASKS, proposalForm: OF_TASKS, formatReason: OF_TASKS },
  },
  'evolution/code-tasks/loose-calls': {
    module: looseCalls,
    reads: {
      readCallsAndMessage: (from) => [false, true].map((cut) => looseCalls.readCallsAndMessage(from, cut)),
    },
    no: {},
  },
  'evolution/code-tasks/task-types': {
    module: {},
    reads: Object.fromEntries(
      CODE_TASK_TYPES.map((name) => [
        name,
        (from: string) =>
          (['strict', 'azr-compat'] as const).map((mode) =>
            definitionOf(name).readProposal(
              from,
              { givenProgram: 'def f(x):\n    return x', inductionInputs: 1 } as never,
              mode,
            ),
          ),
      ]),
    ),
    no: {},
  },
  'supervision/context/candidates': {
    module: candidates,
    reads: {
      contextLineText: (from) => candidates.contextLineText(from),
      sameLineKey: (from) => candidates.sameLineKey(from),
      isUrgentTopic: (from) => candidates.isUrgentTopic(from),
    },
    no: {
      wordedCandidates: 'lines of a bounded length',
      guidanceCandidates: 'lines of a bounded length',
      textCandidates: 'reviews, by contextLineText',
    },
  },
  'supervision/findings': {
    module: findings,
    reads: {
      factsShown: (from) => findings.factsShown(from.slice(0, 4000)),
      statedIssues: (from) =>
        (['task', 'plan', 'thought', 'output', 'exec'] as const).map((phase) =>
          findings.statedIssues(phase, from.slice(0, 4000)),
        ),
    },
    no: { findingsOf: 'stored reviews, by the functions here' },
  },
  'supervision/facts/answer-reader': {
    module: answerReader,
    reads: {
      literalKind: (from) => answerReader.literalKind(from),
      isRestricted: (from) => answerReader.isRestricted(from),
      requestAction: (from) => answerReader.requestAction(from),
      memoryAction: (from) => answerReader.memoryAction(from),
      claimIsLate: (from) => answerReader.claimIsLate(from),
    },
    no: {},
  },
  'supervision/facts/arithmetic': {
    module: arithmetic,
    reads: { evaluateInteger: (from) => arithmetic.evaluateInteger(from) },
    no: {},
  },
  'supervision/facts/compact-trace': {
    module: compactTrace,
    reads: {
      compactTrace: (from) => compactTrace.compactTrace(from, TRACED),
      'compactTrace of a value': (from) =>
        compactTrace.compactTrace(`x=${from}\ny=x${'+x'.repeat(25_000)}=1`, TRACED),
      'compactTrace beside a program': (from) =>
        compactTrace.compactTrace('y=x+1=2', { ...TRACED, program: from, input: from }),
      readPlan: (from) => compactTrace.readPlan(from),
    },
    no: {},
  },
  'supervision/facts/item-facts': {
    module: itemFacts,
    reads: {
      ...factsOf('task', 'deduction'),
      ...factsOf('plan', 'deduction'),
      ...factsOf('thought', 'deduction'),
      ...factsOf('output', 'deduction'),
      ...factsOf('output', 'induction'),
      ...factsOf('output', 'error'),
    },
    no: {},
  },
  'supervision/facts/program-reader': {
    module: programReader,
    reads: {
      logicalLines: (from) => programReader.logicalLines(from),
      readProgram: (from) => programReader.readProgram(from),
      'readProgram of a header': (from) =>
        programReader.readProgram(`def f(${from.replaceAll('#', '')}: )${')->'.repeat(20_000)}`),
      normalizedSource: (from) => programReader.normalizedSource(`x${from}x`),
    },
    no: {},
  },
  'supervision/facts/static-types': {
    module: staticTypes,
    reads: {
      ...Object.fromEntries(
        ['', 'for i in ', 'y = [', `y = [${'for i in x '.repeat(8_000)}`, 'return '].map((begins) => [
          `returnType of ${JSON.stringify(begins.slice(0, 20))}`,
          (from: string) =>
            staticTypes.returnType(`def f(x):\n    ${begins}${from.replaceAll('\n', ' ')}`, 'int'),
        ]),
      ),
      possibleInputTypes: (from) => staticTypes.possibleInputTypes(from, 'int'),
    },
    no: {},
  },
  'supervision/leaks/leak-guard': {
    module: leakGuard,
    reads: {
      findLeaks: (from) => leakGuard.findLeaks(from.slice(0, 4_000), [gold('42')], 'def f(x): return x'),
      'findLeaks of one digit': (from) => leakGuard.findLeaks(from.slice(0, 4_000), [gold('7')], ''),
      'findLeaks of a list': (from) => leakGuard.findLeaks(from.slice(0, 4_000), [gold('[4, 8, 15]')], ''),
      'findLeaks of a text': (from) => leakGuard.findLeaks(from.slice(0, 4_000), [gold("'CABLE'")], ''),
      'findLeaks beside a prompt': (from) => leakGuard.findLeaks('It is 17.', [gold('[4, 8, 15]')], from),
      'findLeaks for an answer': (from) => leakGuard.findLeaks('It is 17.', [gold(`[${from}]`)], ''),
      'findLeaks for a program': (from) =>
        leakGuard.findLeaks('Add 3 and 4.', [{ kind: 'program', source: from }], ''),
    },
    no: {},
  },
  'supervision/leaks/programs': {
    module: leakPrograms,
    reads: {
      unseenCode: (from) => leakPrograms.unseenCode(from.slice(0, 4_000), 'def f(x): return x'),
      'unseenCode beside a program': (from) => leakPrograms.unseenCode('Use x * 3.', from),
      programLeaks: (from) => leakPrograms.programLeaks('Use x * 3.', 'y = x * 3', from),
    },
    no: {},
  },
  'supervision/leaks/stated-numbers': {
    module: statedNumbers,
    reads: {
      statedNumbers: (from) => statedNumbers.statedNumbers(from.slice(0, 4_000)),
    },
    no: {
      inDigits: 'feedback of at most 4,000 characters',
      plainArithmetic: 'feedback of at most 4,000 characters',
      reckonedInTurn: 'feedback of at most 4,000 characters',
      reckonedNumbers: 'feedback of at most 4,000 characters',
      wordsForNumber: 'a number',
    },
  },
  'supervision/leaks/views': {
    module: leakViews,
    reads: {
      visibleText: (from) => leakViews.visibleText(from),
      viewsOf: (from) => leakViews.viewsOf(from.slice(0, 4_000)),
      standsAlone: (from) => leakViews.standsAlone(from, 'ab'),
    },
    no: { encodedForms: 'a secret', shifted: 'a word of the length of a secret' },
  },
  'supervision/wording/likeness': {
    module: likeness,
    reads: {
      contentStems: (from) => likeness.contentStems(from),
      isNegated: (from) => likeness.isNegated(from),
      isSameKind: (from) => likeness.isSameKind(from, 'Write one block.'),
    },
    no: { likeness: 'stems' },
  },
  'contract/runs/sent-record': {
    module: sentRecord,
    reads: {
      sentRollout: (from) => [
        sentRecord.sentRollout({ ...makeRollout(1, 0), text: from, answer: from.slice(from.length / 2) }),
        sentRecord.sentRollout({ ...makeRollout(1, 0), text: from, answer: `${from.slice(1)}.` }),
      ],
    },
    no: { receivedRollout: 'what the other has made' },
  },
  'evaluation/suites/suite': {
    module: suite,
    reads: {
      answerText: (from) => suite.answerText(from),
      conductOf: (from) => suite.conductOf(from),
      answerOf: (from) => suite.answerOf(from),
      answeredValue: (from) => [suite.answeredValue(from, 'input'), suite.answeredValue(from, 'output')],
    },
    no: {
      gradeIf: 'verdicts',
      failed: 'verdicts',
      isGrade: 'verdicts',
      messagesFor: OF_TASKS,
      goldValue: 'an answer of the suite',
    },
  },
  'evolution/rewarded-prompts/stage': {
    module: rewardedPrompts,
    reads: {
      rateAnswer: (from) => [
        rewardedPrompts.rateAnswer('request', from),
        rewardedPrompts.rateAnswer('memory', `<think>${from}</think><answer>${from}</answer>`),
      ],
    },
    no: { drawPrompts: OF_TASKS, withRewardedPrompts: OF_TASKS },
  },
  'evaluation/suites/imported/own-questions': {
    module: ownQuestions,
    reads: {
      isAsExpected: (from) => [
        ownQuestions.isAsExpected({ kind: 'refuse' }, from),
        ownQuestions.isAsExpected({ kind: 'contain', text: 'one' }, from),
      ],
    },
    no: {},
  },
  'supervision/wording/line-checks': {
    module: lineChecks,
    reads: {
      saysTheSame: (from) => lineChecks.saysTheSame(from, 'Write one block.'),
      contradicts: (from) => lineChecks.contradicts(from, 'Write one block.'),
      isAbout: (from) => lineChecks.isAbout(from, ['Write one block.']),
      isTellinglyAlike: (from) => lineChecks.isTellinglyAlike(from, 'Write one block.'),
      asksForFault: (from) => lineChecks.asksForFault(from, [from]),
      rivalOf: (from) => lineChecks.rivalOf(from, [{ text: 'Write one block.' }]),
      repeatsDeed: (from) => lineChecks.repeatsDeed(from, [from]),
    },
    no: {
      checkedLine: 'a line of a bounded length',
      supportedLine: 'a line of a bounded length',
      oneOfEach: 'lines of a context',
      isUrgent: 'a line of a context',
    },
  },
};

/**
 * Modules that go through texts of other origin, or through what a reader above has cut or read, by what these are. A module of any
 * room that exports a function of a text, and goes through it by an expression that can run on or by a loop, has to stand here or above.
 */
export const OTHER_TEXTS: Record<string, readonly string[]> = {
  'what people type or choose, and what is shown in a terminal': [
    'cli/build',
    'cli/evaluation-options',
    'cli/licence-list',
    'cli/main',
    'cli/program',
    'cli/progress',
    'cli/table',
    'cli/window-access',
    'core/files',
    'evaluation/plan/subjects',
    'evaluation/test-sets/contamination',
    'evaluation/test-sets/import-test-set',
    'inventory/import-files',
    'plan/config-text',
    'plan/estimate',
    'plan/read-yaml',
    'engine/verbs/records',
    'store/records/find',
    'live/live-feed',
    'experiments/study/state',
    'experiments/sample/player',
  ],
  'names, keys and numbers of the application': [
    'asking/loaded-models',
    'core/counter-random',
    'engine/children',
    'engine/runs/run-loop',
    'engine/runs/branch-run',
    'engine/runs/run-queue',
    'evaluation/run/run-suite',
    'experiments/demo/demo',
    'live/timeline',
    'models/local-sampler',
    'models/local-trainer',
    'processes/child/restarting-process',
    'processes/supervisor/answer-schema',
    'store/contexts',
    'store/opening/file-sums',
    'store/opening/run-folders',
    'store/records/rows',
    'store/salvage/kept-runs',
    'store/salvage/readable-rows',
    'store/sql',
    'store/sqlite-failure',
  ],
  'files of the machine, of models and of prompts': [
    'core/program',
    'library/files/content-sniff',
    'library/files/copy',
    'library/files/json-lines',
    'library/files/manifest',
    'library/files/safetensors-header',
    'library/files/unfinished',
    'library/files/whole-file',
    'library/adapters',
    'library/models',
    'library/prompts',
    'machine/air-gap/process-sockets',
    'machine/air-gap/self-test',
    'machine/measure',
    'machine/python',
    'processes/gguf/header',
    'processes/gguf/values',
    'processes/supervisor/chat-frame',
  ],
  'official test sets, at import': [
    'evaluation/code/livecodebench/problem',
    'evaluation/datasets/discovery',
    'evaluation/datasets/recognise',
    'evaluation/datasets/rows/json',
    'evaluation/datasets/sources/open-path',
    'evaluation/datasets/storage/rows',
    'evaluation/maths/suites',
    'evaluation/safety/harmbench/inert-pickle',
    'evolution/code-tasks/seed-file',
  ],
  'values and lines that a reader has checked before': [
    'core/values/encoded-value',
    'core/values/literal-tokens',
    'supervision/probe/programs',
  ],
  'writes what it is given, and looks for nothing in it': [
    'core/hash',
    'evaluation/export/inspect',
    'processes/child/failures',
    'supervision/context/context-update',
    'supervision/context/neutral-text',
    'supervision/raw-item',
    'supervision/step-files/step-files',
    'supervision/wording/ask',
  ],
  'lines of the trainer and the other processes, which are split where they arrive': [
    'processes/child/line-peer',
  ],
  'names of series, bars and stages, which are short': ['figures/bars', 'figures/series', 'figures/spans'],
  'the first characters of a record, cut here or where they are read': [
    'cli/tasks-text',
    'store/records/search',
  ],
  'feedback of at most 4,000 characters, as findLeaks cuts it, and golds; measured by findLeaks': [
    'supervision/leaks/guesses',
    'supervision/leaks/number-forms',
    'supervision/leaks/sequences',
    'supervision/leaks/values',
  ],
  'answers that extractAnswer has taken out, of a bounded length': ['evaluation/maths/grade'],
};

const modules = textFunctions(join(import.meta.dirname, '../../../electron'));
const others = new Set(Object.values(OTHER_TEXTS).flat());

/**
 * Functions that stand neither among the readers nor among the others: exports of the modules above, and of every other module that goes
 * through texts. Modules that are named and are not there, or go through no text any more, as well.
 */
export function unnamedExports(): string[] {
  const unnamed = Object.entries(READERS).flatMap(([name, { module, reads, no }]) =>
    Object.entries(module)
      .filter(
        ([key, value]) =>
          typeof value === 'function' &&
          !(key in no) &&
          !Object.keys(reads).some((read) => read === key || read.startsWith(`${key} of `)),
      )
      .map(([key]) => `${name}: ${key}`),
  );
  const unlisted = [...modules]
    .filter(([name]) => !(name in READERS) && !others.has(name))
    .map(([name, functions]) => `${name}: ${functions.join(', ')}`);
  const stale = [...others]
    .filter((name) => !modules.has(name) || name in READERS)
    .map((name) => `${name}: named in vain`);
  return [...unnamed, ...unlisted, ...stale];
}
