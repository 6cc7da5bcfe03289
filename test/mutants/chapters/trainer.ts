import { chapter } from '../mutant.ts';

const TRAINER = 'native/trainer/anchor_trainer';
const TESTS = 'test/native/trainer';
const SAMPLING = `${TESTS}/test_trainer_sampling.py`;

/** The trainer: its loss, what it is weighted and clipped by, how tokens are drawn and scored. */
export const TRAINER_MUTANTS = chapter('trainer', [
  {
    file: `${TRAINER}/rollout/sampling.py`,
    tests: [SAMPLING],
    mutants: [
      {
        what: 'the log-probability is that of temperature 1',
        line: 'logp = torch.log_softmax(logits / scale.to(logits.device).unsqueeze(1), dim=-1)',
        instead: 'logp = torch.log_softmax(logits, dim=-1)',
      },
      {
        what: 'a draw at a border takes the token before',
        line: 'tokens = (cumulative <= target.unsqueeze(1)).sum(-1)',
        instead: 'tokens = (cumulative < target.unsqueeze(1)).sum(-1)',
      },
      { what: 'what top-p cuts off is not shared out again', line: '* cumulative[:, -1]', instead: '* 1.0' },
      { what: 'top-k lets one more through', line: 'keep = rank < most', instead: 'keep = rank <= most' },
      {
        what: 'top-p leaves out the token that reaches it',
        line: 'before = within.cumsum(-1) / mass - within / mass',
        instead: 'before = within.cumsum(-1) / mass',
      },
    ],
  },
]);
