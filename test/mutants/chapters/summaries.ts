import { chapter } from '../mutant.ts';
import { ITERATION, SUPERVISED_STEP } from './tests.ts';

const REVIEW = 'test/electron/supervision/context.test.ts';
const CANDIDATES = 'electron/supervision/context/candidates.ts';

/** Eq. 6 and 7: what a batch's reviews come to, and which lines the next context has. */
export const SUMMARIES = chapter('summary and merge', [
  {
    file: 'electron/supervision/summary.ts',
    tests: [REVIEW, ...SUPERVISED_STEP],
    mutants: [
      {
        what: 'reviews of work that failed count under the scope verified',
        line: "(scope === 'all' || review.rolloutId === null || passed(review.rolloutId));",
        instead: 'true;',
      },
      {
        what: 'exec reviews do not count under the scope verified',
        line: "(scope === 'all' || review.rolloutId === null || passed(review.rolloutId));",
        instead: "(scope === 'all' || (review.rolloutId !== null && passed(review.rolloutId)));",
      },
      {
        what: 'the scopes change places',
        line: "(scope === 'all' || review.rolloutId === null",
        instead: "(scope !== 'all' || review.rolloutId === null",
      },
      {
        what: 'quarantined reviews count',
        line: "review.batch === batch && review.status === 'done';",
        instead: "review.batch === batch && review.status !== 'failed';",
      },
      {
        what: 'a summary counts the reviews of all batches',
        line: "review.batch === batch && review.status === 'done';",
        instead: "review.status === 'done';",
      },
      {
        what: 'a finding counts once, however many made it',
        line: 'count: point.count + 1, reviewIds',
        instead: 'count: 1, reviewIds',
      },
      {
        what: 'a finding is put down to its last review alone',
        line: 'reviewIds: [...point.reviewIds, review.id] });',
        instead: 'reviewIds: [review.id] });',
      },
      {
        what: 'a second issue gets the feedback on the first',
        line: 'const feedback = rank === 0 ? review.feedback : sentenceOf(issue);',
        instead: 'const feedback = review.feedback;',
      },
      {
        what: 'the rarest findings come first',
        line: 'b.count - a.count ||',
        instead: 'a.count - b.count ||',
      },
      {
        what: 'all reviews of a batch are said to count',
        line: 'eligible: eligible.length,',
        instead: 'eligible: answered.length,',
      },
    ],
  },
  {
    file: 'electron/supervision/context/context-update.ts',
    tests: [
      REVIEW,
      'test/electron/supervision/injection.test.ts',
      'test/electron/supervision/context-controls.test.ts',
    ],
    mutants: [
      {
        what: 'lines of C_t are lost',
        line: 'const ordered = [...entering, ...alive].sort(newestFirst(vocabulary));',
        instead: 'const ordered = [...entering].sort(newestFirst(vocabulary));',
      },
      {
        what: 'no line enters',
        line: 'const ordered = [...entering, ...alive].sort(newestFirst(vocabulary));',
        instead: 'const ordered = [...alive].sort(newestFirst(vocabulary));',
      },
      {
        what: 'lines never expire',
        line: "keep(line, ageOf(line, update) < config.expirySteps, 'expired', removed),",
        instead: "keep(line, true, 'expired', removed),",
      },
      {
        what: 'lines expire one step later',
        line: "keep(line, ageOf(line, update) < config.expirySteps, 'expired', removed),",
        instead: "keep(line, ageOf(line, update) <= config.expirySteps, 'expired', removed),",
      },
      {
        what: 'steps that left the context as it was make lines older',
        line: 'context.step - lastSupportedStep - frozenSince(lastSupportedStep);',
        instead: 'context.step - lastSupportedStep;',
        tests: [REVIEW, ...ITERATION],
      },
      {
        what: 'one review is enough for every line',
        line: '(candidate.urgent ? 1 : minimumSupport) &&',
        instead: '1 &&',
      },
      {
        what: 'a breach of safety needs the support of others',
        line: '(candidate.urgent ? 1 : minimumSupport) &&',
        instead: 'minimumSupport &&',
      },
      {
        what: 'support has to be above the minimum',
        line: 'candidate.reviewIds.length >= (candidate',
        instead: 'candidate.reviewIds.length > (candidate',
      },
      {
        what: 'support does not renew a line',
        line: 'return { ...line, lastSupportedStep: step, support: candidate.reviewIds.length, reviewIds };',
        instead: 'return { ...line, support: candidate.reviewIds.length, reviewIds };',
      },
      {
        what: 'a renewed line forgets the reviews that brought it',
        line: 'provenance([...new Set([...line.reviewIds, ...candidate.reviewIds])]);',
        instead: 'provenance([...candidate.reviewIds]);',
      },
      {
        what: 'a line enters beside itself',
        line: '!lines.some((line) => same(line, candidate)),',
        instead: 'true,',
      },
      {
        what: 'a line enters the step it was found in',
        line: 'enteredStep: step + 1,\n      lastSupportedStep: step,',
        instead: 'enteredStep: step,\n      lastSupportedStep: step,',
      },
      {
        what: 'the oldest lines stay',
        line: 'b.lastSupportedStep - a.lastSupportedStep ||',
        instead: 'a.lastSupportedStep - b.lastSupportedStep ||',
      },
      {
        what: 'lines that contradict each other stay',
        line: "if (keep(line, !rival, 'conflict', removed)) taken.push(line);",
        instead: 'taken.push(line);',
      },
      {
        what: 'of lines that contradict each other the older stays',
        line: 'const compatible = withoutConflicts(fixed, ordered, vocabulary, removed);',
        instead: 'const compatible = withoutConflicts(fixed, ordered.toReversed(), vocabulary, removed);',
      },
      {
        what: 'the number of lines has no limit',
        line: "keep(line, index < Math.max(config.contextLines, fixed), 'budget', removed),",
        instead: "keep(line, true, 'budget', removed),",
      },
      {
        what: 'there may be one line more',
        line: "keep(line, index < Math.max(config.contextLines, fixed), 'budget', removed),",
        instead: "keep(line, index <= Math.max(config.contextLines, fixed), 'budget', removed),",
      },
      {
        what: 'tokens have no limit',
        line: 'if (tokens <= config.contextTokens || fitting.length === fixed) return',
        instead: 'if (true) return',
      },
      {
        what: 'a context of exactly the limit is too long',
        line: 'if (tokens <= config.contextTokens ||',
        instead: 'if (tokens < config.contextTokens ||',
      },
      {
        what: 'fixed lines go where the room is small',
        line: '|| fitting.length === fixed) return',
        instead: '|| fitting.length === 0) return',
      },
      {
        what: 'fixed lines expire like others',
        line: 'const fixed = context.lines.filter(isFixedLine);',
        instead: 'const fixed: ContextLine[] = [];',
      },
      {
        what: 'the hash of a context is not that of its text',
        line: 'hash: sha256Hex(shown.text), ...shown, lines, removed };',
        instead: 'hash: context.hash, ...shown, lines, removed };',
      },
      {
        what: 'a placebo context shows its lines',
        line: "if (config.contextText === 'reviews' || lines.every(isFixedLine))",
        instead: 'if (true)',
      },
      {
        what: 'rules make the context where a model writes it',
        line: "if (config.summary === 'model') return wordedCandidates(wordings);",
        instead: '',
        tests: ['test/electron/supervision/merge-wording.test.ts', REVIEW],
      },
      {
        what: 'the words of reviews stand where guidance should',
        line: "return config.merge === 'guidance'",
        instead: "return config.merge !== 'guidance'",
      },
    ],
  },
  {
    file: CANDIDATES,
    tests: [REVIEW, 'test/electron/supervision/injection.test.ts'],
    mutants: [
      {
        what: 'the support of a line is that of its last batch',
        line: 'support.set(key, new Set([...(support.get(key) ?? []), ...reviewIds]));',
        instead: 'support.set(key, new Set(reviewIds));',
      },
      { what: 'no line is urgent', line: 'if (isSafetyBreach(issue)) urgent.add(key);', instead: '' },
      {
        what: 'the rarest wording of an issue speaks for it',
        line: '(a, b) => b.count - a.count || (a.text < b.text ? -1 : 1),\n    )[0]!;',
        instead: '(a, b) => a.count - b.count || (a.text < b.text ? -1 : 1),\n    )[0]!;',
      },
      {
        what: 'feedback may give orders about instructions',
        line: 'if (INSTRUCTION_ATTACK.test(text) || !/\\p{L}/u.test(text)) return null;',
        instead: 'if (!/\\p{L}/u.test(text)) return null;',
      },
      { what: 'marks of roles stay in a line', line: ".replace(ROLE, ' ')", instead: '' },
      { what: 'markup stays in a line', line: "text = text.replace(MARKUP, ' ')", instead: 'text = text' },
      {
        what: 'invisible characters stay in a line',
        line: ".normalize('NFKC').replace(INVISIBLE, '');",
        instead: ".normalize('NFKC');",
      },
      {
        what: 'a line may be as long as it likes',
        line: 'if (text.length <= LONGEST_LINE) return text;',
        instead: 'return text;',
      },
      {
        what: 'guidance that was not trained enters by itself',
        line: "(which === 'every' ? generalKey(issue) : null);",
        instead: 'generalKey(issue);',
      },
    ],
  },
  {
    file: 'electron/evolution/loop/next-context.ts',
    tests: [...SUPERVISED_STEP, ...ITERATION],
    mutants: [
      {
        what: 'a stage that freezes the context moves it',
        line: 'if (stage.freezesContext === true)',
        instead: 'if (false as boolean)',
      },
      {
        what: 'summaries have the scope of all',
        line: 'const scope = supervision.summaryScope;',
        instead: "const scope = 'all' as const;",
      },
    ],
  },
]);
