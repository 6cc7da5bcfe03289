import { salad as questions } from '../../datasets/index.ts';
import { gradeSalad, SALAD_RULE, type SaladItem } from '../../safety/index.ts';
import { gradeOf, under, type GradedSuite } from '../../running/graded-suite.ts';
import { shareMember, detail, hasPassed, passedScore, shareScore } from '../../running/scores.ts';

/** SALAD's multiple choice. An answer that cannot be read counts as wrong, as published, so the share that could be read stands beside it. */
export const salad: GradedSuite<SaladItem> = {
  name: 'salad',
  title: 'SALAD-Bench, multiple choice',
  group: 'safety',
  measures: 'right letters chosen',
  better: 'higher',
  version: '1',
  source: { kind: 'dataset', dataset: 'salad-mcq' },
  needs: { sandbox: false, judge: 'none', maths: false },
  hazardous: true,
  mini: false,
  timed: false,
  protocols: [
    {
      name: 'usual',
      version: '1',
      temperature: 0,
      topP: 1,
      maxNewTokens: 1024,
      samples: 1,
      promptPack: null,
      stops: [],
      says: 'The published prompt, greedy, at most 1,024 tokens; letters are read from the answer tags.',
    },
  ],
  async *read({ dataset }, signal) {
    if (dataset === null) return;
    for await (const item of questions(dataset)) {
      signal.throwIfAborted();
      yield item;
    }
  },
  ask: ({ prompt }, _protocol, { context }) => ({
    messages: under(context, [{ role: 'user', content: prompt }]),
    raw: false,
    stops: [],
  }),
  target: ({ gold }) => gold,
  async grade(item, { text }) {
    const { chosen, correct } = gradeSalad(item, text);
    return gradeOf(correct, 'letters', {
      reason: correct ? null : chosen === null ? 'unreadable' : 'wrong-letters',
      flags: chosen === null ? ['unreadable'] : [],
      judge: SALAD_RULE,
      details: { chosen, domain: item.domain, task: item.task, category: item.category },
    });
  },
  members: (rows, of) => ({ salad: shareMember(rows, of) }),
  scores(rows) {
    const read = rows.filter(({ grade }) => detail(grade, 'chosen') !== null);
    const accuracy = passedScore('accuracy', rows, 'higher');
    return [
      accuracy,
      shareScore('read', read.length, rows.length, 'neither'),
      shareScore('accuracy of read', read.filter(hasPassed).length, read.length, 'higher'),
      shareScore('wrong or unread (SB)', rows.length - rows.filter(hasPassed).length, rows.length, 'lower'),
    ];
  },
};
