import { chapter } from '../mutant.ts';

const TRAINER = 'native/trainer/anchor_trainer';
const TESTS = 'test/native/trainer';
const UPDATE = `${TESTS}/test_trainer_update.py`;
const GRADIENTS = `${TESTS}/test_trainer_gradients.py`;
const STAGES = `${TESTS}/test_trainer_stages.py`;
const GRPO = `${TESTS}/test_trainer_grpo.py`;
const SAMPLING = `${TESTS}/test_trainer_sampling.py`;

/** The trainer: its loss, what it is weighted and clipped by, how tokens are drawn and scored. */
export const TRAINER_MUTANTS = chapter('trainer', [
  {
    file: `${TRAINER}/training/loss.py`,
    tests: [GRPO, UPDATE, STAGES],
    mutants: [
      {
        what: 'the ratio is upside down',
        line: 'log_ratio = batch.logp - batch.old',
        instead: 'log_ratio = batch.old - batch.logp',
      },
      {
        what: 'the loss raises what it should lower',
        line: 'policy = torch.maximum(-ratio * batch.advantage, -clipped * batch.advantage)',
        instead: 'policy = torch.maximum(ratio * batch.advantage, clipped * batch.advantage)',
      },
      {
        what: 'clipping takes the better of the two',
        line: 'policy = torch.maximum(-ratio * batch.advantage, -clipped * batch.advantage)',
        instead: 'policy = torch.minimum(-ratio * batch.advantage, -clipped * batch.advantage)',
      },
      {
        what: 'nothing is clipped',
        line: 'policy = torch.maximum(-ratio * batch.advantage, -clipped * batch.advantage)',
        instead: 'policy = -ratio * batch.advantage',
      },
      {
        what: 'clipping is symmetric',
        line: 'clipped = ratio.clamp(1 - spec.clip_low, 1 + spec.clip_high)',
        instead: 'clipped = ratio.clamp(1 - spec.clip_low, 1 + spec.clip_low)',
      },
      {
        what: 'the two clips change places',
        line: 'clipped = ratio.clamp(1 - spec.clip_low, 1 + spec.clip_high)',
        instead: 'clipped = ratio.clamp(1 - spec.clip_high, 1 + spec.clip_low)',
      },
      {
        what: 'a sequence has the ratio of its sum',
        line: 'log_ratio = torch.cat([part.mean().expand(part.shape) for part in parts])',
        instead: 'log_ratio = torch.cat([part.sum().expand(part.shape) for part in parts])',
      },
      {
        what: 'the ratio of a sequence is that of its tokens',
        line: 'if spec.level == "sequence":',
        instead: 'if spec.level == "sequences":',
      },
      {
        what: 'the dual clip binds where the advantage is positive',
        line: 'torch.where(batch.advantage < 0, torch.minimum(policy, bound), policy)',
        instead: 'torch.where(batch.advantage > 0, torch.minimum(policy, bound), policy)',
      },
      {
        what: 'the dual clip is a lower bound',
        line: 'torch.where(batch.advantage < 0, torch.minimum(policy, bound), policy)',
        instead: 'torch.where(batch.advantage < 0, torch.maximum(policy, bound), policy)',
      },
      {
        what: 'a step away from the reference is paid',
        line: 'per_token = per_token + spec.kl.coef * penalty',
        instead: 'per_token = per_token - spec.kl.coef * penalty',
      },
      {
        what: 'the coefficient of the divergence is not applied',
        line: 'per_token = per_token + spec.kl.coef * penalty',
        instead: 'per_token = per_token + penalty',
      },
      {
        what: 'entropy is punished',
        line: 'per_token = per_token - spec.entropy_coef * batch.entropy',
        instead: 'per_token = per_token + spec.entropy_coef * batch.entropy',
      },
      {
        what: 'tokens have no weight',
        line: 'loss = (per_token * batch.weight).sum()',
        instead: 'loss = per_token.sum()',
      },
      {
        what: 'token-mean divides by sequences',
        line: 'return [one / total for one in weights]',
        instead: 'return [one / count for one in weights]',
      },
      {
        what: 'long sequences weigh more under seq-mean-token-mean',
        line: 'return [one / (count * length) for one, length in zip(weights, lengths, strict=True)]',
        instead: 'return [one / sum(lengths) for one, length in zip(weights, lengths, strict=True)]',
      },
      {
        what: 'seq-mean-token-sum divides by tokens',
        line: 'return [one / count for one in weights]',
        instead: 'return [one / sum(lengths) for one in weights]',
      },
      {
        what: 'a constant divisor is ignored',
        line: 'return [one / spec.aggregation_size for one in weights]',
        instead: 'return [one / count for one in weights]',
      },
      {
        what: 'micro-batches are rounded down',
        line: 'micros = -(-count // size)',
        instead: 'micros = count // size',
      },
      {
        what: 'micro-batches are not averaged',
        line: 'return [one / (micros * sums[at // size]) for at, one in enumerate(weights)]',
        instead: 'return [one / sums[at // size] for at, one in enumerate(weights)]',
      },
      {
        what: 'importance is upside down',
        line: 'ratio = (batch.old - batch.sampler).exp()',
        instead: 'ratio = (batch.sampler - batch.old).exp()',
      },
      {
        what: 'importance is not truncated',
        line: 'importance = ratio.clamp(max=cap)',
        instead: 'importance = ratio',
      },
      {
        what: 'importance below 1 counts as 1',
        line: 'importance = ratio.clamp(max=cap)',
        instead: 'importance = ratio.clamp(min=1, max=cap)',
      },
      {
        what: 'the divergence is measured from the reference',
        line: 'difference = logp - reference',
        instead: 'difference = reference - logp',
      },
      {
        what: 'k2 is without its half',
        line: 'estimate = 0.5 * difference.square()',
        instead: 'estimate = difference.square()',
      },
      {
        what: 'k3 has the other sign in its exponent',
        line: 'estimate = (-difference).exp() - 1 + difference',
        instead: 'estimate = difference.exp() - 1 - difference',
      },
      {
        what: 'a divergence is bounded on one side',
        line: 'estimate.clamp(-spec.clamp, spec.clamp)',
        instead: 'estimate.clamp(max=spec.clamp)',
      },
      {
        what: 'clips that do not bind are counted',
        line: 'low = (ratio < 1 - spec.clip_low) & (batch.advantage < 0)',
        instead: 'low = ratio < 1 - spec.clip_low',
      },
      {
        what: 'the divergence from the old policy is told with the wrong sign',
        line: 'sums.kl_old_sum += float((batch.old - batch.logp.detach()).sum())',
        instead: 'sums.kl_old_sum += float((batch.logp.detach() - batch.old).sum())',
      },
    ],
  },
  {
    file: `${TRAINER}/training/update.py`,
    tests: [UPDATE, GRADIENTS],
    mutants: [
      {
        what: 'mini-batches leave out what does not fill one',
        line: 'plan += [order[at : at + size] for at in range(0, count, size)]',
        instead: 'plan += [order[at : at + size] for at in range(0, count - size + 1, size)]',
      },
      {
        what: 'every epoch has the same order',
        line: 'order = shuffled(count, batch.shuffle_seed + epoch)',
        instead: 'order = shuffled(count, batch.shuffle_seed)',
      },
      {
        what: 'truncated answers are trained on where they should be dropped',
        line: 'if rollout.finish == "length" and loss.truncated_policy == "drop":',
        instead: 'if rollout.finish == "length" and loss.truncated_policy == "keep":',
      },
      {
        what: 'a step that is not finite is taken',
        line: 'if math.isfinite(sums.loss) and math.isfinite(norm):',
        instead: 'if True:',
      },
      {
        what: 'gradients of a mini-batch are added to those before',
        line: '        self.optimizer.trained.clear_gradients()\n        stats.losses.append',
        instead: '        stats.losses.append',
        reason:
          'the next mini-batch begins by clearing them all the same (begin_gradients); here their memory is given back',
        tests: [UPDATE, GRADIENTS, GRPO],
      },
      {
        what: 'old log-probabilities are never computed again',
        line: 'if loss.old_logprobs == "recompute":',
        instead: 'if loss.old_logprobs == "never":',
        tests: [UPDATE, GRPO, STAGES],
      },
      {
        what: 'the reference is the policy itself',
        line: 'scored = self._score(self.reference, sequences)',
        instead: 'scored = self._score(self.weights, sequences)',
        tests: [UPDATE, STAGES, GRPO],
      },
      {
        what: 'all rollouts have the temperature 1',
        line: 'temperature = rollout.temperature if loss.temperature is None else loss.temperature\n            sequence',
        instead: 'temperature = 1.0\n            sequence',
        tests: [UPDATE, GRADIENTS],
      },
      {
        what: 'a rollout of another temperature is taken',
        line: 'if loss.old_logprobs == "sampler" and rollout.temperature != wanted:',
        instead: 'if False:',
      },
      {
        what: 'the weight of an item is its advantage',
        line: '[one.item.weight for one in members]',
        instead: '[one.item.advantage for one in members]',
      },
      {
        what: 'sampler and trainer are compared with the wrong sign',
        line: 'mismatch.add(logp.detach() - batch.sampler)',
        instead: 'mismatch.add(batch.sampler - logp.detach())',
        tests: [UPDATE, `${TESTS}/test_trainer_peers.py`],
      },
    ],
  },
  {
    file: `${TRAINER}/training/optimizer.py`,
    tests: [UPDATE, `${TESTS}/test_trainer_moments.py`],
    mutants: [
      {
        what: 'the first step of a warm-up has no rate',
        line: 'min(1.0, (self.steps + 1) / warmup)',
        instead: 'min(1.0, self.steps / warmup)',
      },
      {
        what: 'gradients are always scaled to the limit',
        line: 'scale = clip / norm if clip > 0 and norm > clip else None',
        instead: 'scale = clip / norm if clip > 0 else None',
      },
      {
        what: 'gradients are not clipped',
        line: 'scale = clip / norm if clip > 0 and norm > clip else None',
        instead: 'scale = None',
      },
      {
        what: 'the first moment is not corrected for its start',
        line: 'value=-lr / (1 - beta1**self.steps))',
        instead: 'value=-lr)',
      },
      {
        what: 'the second moment is not corrected for its start',
        line: 'spread.div_(math.sqrt(1 - beta2**self.steps)).add_(self.spec.eps)',
        instead: 'spread.add_(self.spec.eps)',
      },
      {
        what: 'weight decay does not depend on the rate',
        line: 'master.mul_(1 - lr * self.spec.weight_decay)',
        instead: 'master.mul_(1 - self.spec.weight_decay)',
      },
      {
        what: 'the betas change places',
        line: 'beta1, beta2 = self.spec.betas\n        if',
        instead: 'beta2, beta1 = self.spec.betas\n        if',
      },
      {
        what: 'a new stage keeps its moments',
        line: 'for tensor in self.named_state().values():\n            tensor.zero_()',
        instead: 'pass',
        tests: [STAGES],
      },
      {
        what: 'a new stage keeps its number of steps',
        line: '            tensor.zero_()\n        self.steps = 0',
        instead: '            tensor.zero_()',
        tests: [STAGES],
      },
    ],
  },
  {
    file: `${TRAINER}/training/logprobs.py`,
    tests: [GRADIENTS, `${TESTS}/test_trainer_shared_prompts.py`, UPDATE],
    mutants: [
      {
        what: 'a token is scored by the state after it',
        line: 'last = at + first.prompt - 1',
        instead: 'last = at + first.prompt',
      },
      {
        what: 'logits are multiplied by the temperature',
        line: 'logits_from(head, hidden, config) / temperature, dim=-1)',
        instead: 'logits_from(head, hidden, config) * temperature, dim=-1)',
      },
      {
        what: 'entropy has the wrong sign',
        line: 'return logp, -(kept.exp() * kept).sum(-1)',
        instead: 'return logp, (kept.exp() * kept).sum(-1)',
      },
      {
        what: 'tokens of the prompt are scored',
        line: 'targets = torch.cat([one.ids[one.prompt :] for one in row])',
        instead: 'targets = torch.cat([one.ids[one.prompt - 1 : -1] for one in row])',
      },
      {
        what: 'branches of a shared prompt read each other',
        line: 'branches.append([row[one].scored for one in members])',
        instead: 'branches.append([sum(row[one].scored for one in members)])',
      },
    ],
  },
  {
    file: `${TRAINER}/training/update_stats.py`,
    tests: [UPDATE, GRPO],
    mutants: [
      {
        what: 'means are over sequences',
        line: 'sums, tokens = self.sums, max(self.sums.tokens, 1)',
        instead: 'sums, tokens = self.sums, max(batch.sequences, 1)',
      },
      {
        what: 'the largest ratios of steps are added',
        line: 'setattr(self.sums, name, max(kept, value) if name == "ratio_max" else kept + value)',
        instead: 'setattr(self.sums, name, kept + value)',
      },
    ],
  },
  {
    file: `${TRAINER}/training/packing.py`,
    tests: [GRADIENTS, `${TESTS}/test_trainer_shared_prompts.py`, UPDATE],
    mutants: [
      {
        what: 'a row holds one sequence more than fits',
        line: 'if size <= space:',
        instead: 'if size <= space + capacity:',
      },
      {
        what: 'a prompt that is shared is counted for each sequence',
        line: '            sizes[unit] += own[index]',
        instead: '            sizes[unit] += own[index] + shared[index]',
      },
    ],
  },
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
      {
        what: 'greedy answers are drawn',
        line: 'tokens = torch.where(rows, logits.argmax(-1), tokens)',
        instead: 'pass',
      },
    ],
  },
  {
    file: `${TRAINER}/rollout/noise.py`,
    tests: [SAMPLING, `${TESTS}/test_trainer_generate.py`],
    mutants: [
      {
        what: 'samples of one prompt have the same noise',
        line: 'return mix((mix((seed + GOLDEN) & MASK) + index * GOLDEN) & MASK)',
        instead: 'return mix((mix((seed + GOLDEN) & MASK)) & MASK)',
      },
      {
        what: 'all tokens of a sample have the same noise',
        line: '(positions.astype(np.uint64) + np.uint64(1))',
        instead: '(positions.astype(np.uint64) * np.uint64(0) + np.uint64(1))',
      },
      {
        what: 'a shuffle never moves the last',
        line: 'chosen = mix((key + last * GOLDEN) & MASK) % (last + 1)',
        instead: 'chosen = mix((key + last * GOLDEN) & MASK) % max(last, 1)',
        tests: [SAMPLING, UPDATE],
      },
    ],
  },
]);
