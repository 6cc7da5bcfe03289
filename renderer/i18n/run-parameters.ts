/** What each value of a run's configuration means, for the sections that show all of them. Keys are `param.` and the value's path. */
export const runParameterMessages = {
  'param.name': 'Name of the run in lists; not part of what has to repeat.',
  'param.preset': 'The preset this configuration started from; kept for the record.',
  'param.framework.name':
    'Where the tasks of a step come from: proposed by the policy itself (azr), a set that stays the same (fixed-tasks), or questions of mathematics that a challenger asks and a solver votes on (rzero).',
  'param.seed': 'Everything random is drawn from it: tasks, sampling, and the coins of the gate.',
  'param.steps': 'Steps of self-evolution. Each ends with one update of the weights and a checkpoint.',
  'param.policy.model':
    'The policy: a name of the library, or a folder with config.json, safetensors and tokenizer.json.',
  'param.policy.promptPack':
    'compact for the embedded policy; for real checkpoints instruct (blocks, for the lenient reader) or full (tags, for the strict ones); base is plain text for models without a chat template.',
  'param.policy.thinking':
    'Where the chat template has the switch: whether the model thinks in a form of its own before it answers. Off when nothing is chosen.',
  'param.policy.backend':
    'Who draws the rollouts: the trainer itself (native), or vLLM in an environment of its own (vllm), whose answers repeat within rounding only.',
  'param.policy.device': 'Where the policy computes; auto takes a GPU where there is one.',
  'param.policy.threads': 'CPU threads of the trainer.',
  'param.policy.offload':
    'Whether roles that are trained whole leave memory while another works: where they do not all fit (auto, also when nothing is chosen), always, or never. Results are the same; every step takes the time of moving them.',
  'param.policy.maxConcurrent': 'Responses written at the same time.',
  'param.framework.tasks': 'File with the tasks of a set that stays the same, one JSON object a line.',
  'param.framework.taskTypes': 'Task types that are proposed and solved.',
  'param.framework.batchSize': 'Prompts in each batch; there is one batch per role and task type.',
  'param.framework.estimateSamples': 'Solutions tried per valid proposal to measure how hard it is.',
  'param.framework.references': 'Earlier tasks shown to a proposer.',
  'param.framework.referenceSampling': 'How these are drawn: all alike, or newer ones more often.',
  'param.framework.inductionInputs':
    'Inputs proposed per induction task; the first half is shown to the solver, the rest verifies.',
  'param.framework.taskChoice':
    'Which tasks are solved: those of the step before first, all alike, half new, or newer ones more often; azr-… are the original’s mixes to the letter.',
  'param.generation.maxPromptTokens': 'Longest prompt. Longer ones are drawn again.',
  'param.generation.maxContentTokens':
    'Longest question without system prompt and context. Longer ones are drawn again; none counts the whole prompt alone.',
  'param.generation.maxNewTokens': 'Longest response.',
  'param.generation.temperature': 'Sampling temperature of the policy.',
  'param.generation.topP': 'Nucleus sampling; 1 is off.',
  'param.generation.roles':
    'Sampling of proposers and solvers apart. What is left empty is sampled as the run is. The update takes each answer’s probabilities at the temperature it was sampled at.',
  'param.generation.roles.proposer.temperature':
    'Of proposals; higher makes them differ more, and more of them invalid.',
  'param.generation.roles.proposer.topP': 'Of proposals.',
  'param.generation.roles.solver.temperature': 'Of solutions that are trained.',
  'param.generation.roles.solver.topP': 'Of solutions that are trained.',
  'param.generation.roles.estimator.temperature':
    'Of solutions that measure how hard a proposal is; the solver’s when empty, whose chances they measure.',
  'param.generation.roles.estimator.topP': 'Of these solutions; the solver’s when empty.',
  'param.framework.estimateSampling':
    'sampled measures solve rates at the run’s temperature; greedy repeats a fault of the original.',
  'param.framework.zeroLearnability':
    'Reward of a valid proposal that nobody or everybody solves: 0 in the paper, −0.5 in the repository.',
  'param.framework.learnability':
    'one-minus pays 1 − rate between the extremes; inverse pays it at rate 0 too.',
  'param.framework.whitening':
    'Baseline of the advantages over tokens (repository) or over sequences (paper).',
  'param.framework.inductionReward':
    'When an induction answer is paid: all hidden pairs right, their share, or any.',
  'param.framework.verifier':
    'strict compares typed values outside the sandbox; azr-compat uses Python’s ==.',
  'param.framework.validator':
    'strict refuses empty, non-deterministic and over-long results; azr-compat accepts what the original accepts.',
  'param.framework.reader':
    'How responses are read: strict and azr-compat want tags, lenient takes blocks without them and closes what is open. azr-compat keeps a valid proposal whose tags are broken, as the original does. That of the validator where none is chosen.',
  'param.framework.seeds':
    'What the run begins with: a .jsonl file of tasks in the original’s form or ours; own for tasks that the policy writes before step 1; embedded for the toy world’s, which only the embedded policy begins with where nothing is named.',
  'param.framework.ownSeeds': 'How the policy writes its own first tasks, where seeds are own.',
  'param.framework.ownSeeds.count':
    'Programs with an input to begin with, and as many problems for induction.',
  'param.framework.ownSeeds.attempts': 'Texts asked for at most, of each of these two kinds.',
  'param.framework.ownSeeds.temperature': 'Of these texts; the proposer’s when empty.',
  'param.framework.ownSeeds.leastUsable':
    'Share of the texts that has to become tasks; with fewer the run stops and says why.',
  'param.framework.maxLiteralChars': 'Longest value accepted as an output, in characters.',
  'param.framework.bannedModules': 'Modules a proposed program may not import.',
  'param.framework.rejectMultipleFunctions': 'Whether programs may define only their entry function.',
  'param.framework.bufferFilter':
    'Which valid proposals are kept: all, not those everybody solves, or neither those nor unsolved ones.',
  'param.framework.rejectDuplicates':
    'Whether a proposal equal to a kept task is refused; the original never does.',
  'param.framework.bufferCap': 'Tasks kept per type; the newest stay.',
  'param.framework.intrinsic.complexity.coefficient':
    'Extra reward for cognitive complexity of a proposed program.',
  'param.framework.intrinsic.complexity.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.editDistance.coefficient': 'Extra reward for distance from the references.',
  'param.framework.intrinsic.editDistance.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.halstead.coefficient':
    'Extra reward for the Halstead measure of a proposed program.',
  'param.framework.intrinsic.halstead.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.answerDiversity.coefficient': 'Extra reward for answers unlike earlier ones.',
  'param.framework.intrinsic.answerDiversity.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.inputDiversity':
    'Extra reward of induction tasks for inputs unlike earlier ones; off where it is left out.',
  'param.framework.intrinsic.inputDiversity.coefficient':
    'Extra reward for inputs of an induction task unlike earlier ones.',
  'param.framework.intrinsic.inputDiversity.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.outputDiversity':
    'Extra reward of induction tasks for outputs unlike earlier ones; off where it is left out.',
  'param.framework.intrinsic.outputDiversity.coefficient':
    'Extra reward for outputs of an induction task unlike earlier ones.',
  'param.framework.intrinsic.outputDiversity.max': 'Most this extra reward can be.',
  'param.framework.intrinsic.measures':
    'How distance from the references and rarity of answers are measured: over tokens and all values (tokens), or over syntax trees and sought values as the original does (azr-compat).',
  'param.framework.intrinsic.surprise':
    'Rarity of an answer among all answers (flat), or of its type and within it (hierarchical).',
  'param.framework.intrinsic.combine': 'How several extra rewards join.',
  'param.framework.roles':
    'separate: challenger and solver have weights of their own. shared: one set is both, and moves while it votes.',
  'param.framework.stageStart':
    'fresh: optimizer and KL reference begin anew with each learning stage. carried: they last for the whole run.',
  'param.framework.challenge.steps': 'Training steps of the challenger in each iteration.',
  'param.framework.challenge.prompts': 'Prompts of such a step.',
  'param.framework.challenge.samples':
    'Questions written to each prompt, which are compared with each other.',
  'param.framework.challenge.miniBatch': 'Of these, questions per optimizer step; none takes all in one.',
  'param.framework.vote.samples': 'Answers of the solver that tell how sure it is of a new question.',
  'param.framework.vote.temperature': 'Of these answers; as estimators are sampled when empty.',
  'param.framework.vote.topP': 'Of these answers; as estimators are sampled when empty.',
  'param.framework.vote.topK': 'Of these answers: tokens that may be drawn at each place; 0 is all.',
  'param.framework.pose.questions': 'Questions asked for in each iteration, once the challenger is trained.',
  'param.framework.pose.perStep':
    'Questions asked for, and labelled, in one step: what is asked again when a run is cut off.',
  'param.framework.pose.topP': 'Of these questions; as proposers are sampled when empty.',
  'param.framework.label.samples': 'Answers of the solver whose majority becomes the label of a question.',
  'param.framework.label.window': 'Least and most agreement of a question that is kept, both included.',
  'param.framework.label.widenBy': 'By how much both ends move where too few questions are kept.',
  'param.framework.label.widenTimes':
    'How often they may move before the run stops; 0 stops at once. What was done is recorded.',
  'param.framework.label.temperature': 'Of these answers; as estimators are sampled when empty.',
  'param.framework.label.topP': 'Of these answers; as estimators are sampled when empty.',
  'param.framework.label.topK': 'Of these answers: tokens that may be drawn at each place; 0 is all.',
  'param.framework.solve.steps': 'Training steps of the solver in each iteration.',
  'param.framework.solve.prompts':
    'Kept questions of such a step; with fewer in the whole iteration the run stops and says what to change.',
  'param.framework.solve.samples': 'Answers to each question, which are compared with each other.',
  'param.framework.solve.miniBatch': 'Of these, answers per optimizer step; none takes all in one.',
  'param.framework.parser':
    'strict wants a question and a boxed answer; rzero-compat finds no fault in a missing box, as the original.',
  'param.framework.abstentions':
    'outside: answers without a result do not vote. rzero-compat: they are a class that can win, as in the original.',
  'param.framework.abstentionPenalty':
    'What a question’s reward loses where no answer has a result, in proportion to their share.',
  'param.framework.equality':
    'strict compares by mathematics; rzero-compat also takes any two answers with “no ” for the same, as the original.',
  'param.framework.challengeReward':
    'repository: min(p, 1 − p) less repetition. paper: twice that, at least 0, and 0 without the form.',
  'param.framework.repetition.cut': 'BLEU distance below which two questions belong together.',
  'param.framework.repetition.weight': 'Weight of the penalty, which is a question’s share of like ones.',
  'param.framework.solveReward':
    'agreement: 1 for the label. rzero-compat: 0.9 for it and 0.1 for think tags that nobody asks for.',
  'param.framework.advantages':
    'floored: a group that hardly differs is not blown up. rzero-compat: it is, as in the original.',
  'param.framework.deviationFloor': 'Least deviation of a group’s rewards that is divided by.',
  'param.framework.challengeBaseline':
    'Whom a question is compared with: those of its prompt, or all of the batch, whose prompts are the same.',
  'param.framework.questionFilter':
    'none keeps every question; rzero-compat drops those with “box” in them, as the original.',
  'param.framework.duplicates': 'Whether a question that the run asked before is left out.',
  'param.framework.splitter': 'Version of how an answer is split into plan, thought and output.',
  'param.supervision.maxReviewsPerPhase':
    'Items of a phase that may come up in a step before its coin is tossed; no limit when empty.',
  'param.train.learningRate': 'Step size of AdamW.',
  'param.train.warmupSteps': 'Updates over which the step size grows from zero.',
  'param.train.betas': 'Decay of AdamW’s two moments.',
  'param.train.epsilon': 'Floor of AdamW’s denominator.',
  'param.train.weightDecay': 'Pull of the weights towards zero.',
  'param.train.gradClip': 'Largest norm of a gradient.',
  'param.train.clipLow': 'How far a token’s probability may fall in one update before it stops counting.',
  'param.train.clipHigh': 'How far it may rise.',
  'param.train.dualClip': 'Bound for tokens with negative advantage; none is off.',
  'param.train.entropyCoefficient': 'Bonus for staying uncertain.',
  'param.train.kl': 'A penalty for leaving the weights the run, or its present stage, began with.',
  'param.train.kl.coefficient': 'Weight of the penalty.',
  'param.train.kl.estimator': 'How the divergence is estimated from samples.',
  'param.train.kl.clamp': 'Bound of a token’s estimate, to both sides; none is off.',
  'param.train.kl.reference':
    'What the divergence is from: the model the run starts from, or the weights with which the present stage of its framework began.',
  'param.train.level': 'Whether ratios are taken per token or per sequence.',
  'param.train.aggregate': 'How losses of tokens and sequences are averaged.',
  'param.train.tis':
    'Truncated importance sampling: the most by which a token’s loss is multiplied because another program drew it. 2 with vllm and off with native when nothing is chosen; probabilities before the update are then computed again.',
  'param.train.oldLogprobs': 'Probabilities before the update: as sampled, or computed again.',
  'param.train.epochs': 'Passes over the rollouts of a step.',
  'param.train.microBatch':
    'Sequences whose tokens are averaged together before the averages are, as in verl; none averages over all at once.',
  'param.train.miniBatch': 'Sequences per optimizer step; none takes all in one.',
  'param.train.packTokens': 'Tokens packed into one row of the update.',
  'param.train.gradCheckpoint':
    'Whether an update computes layers again in place of keeping them: slower, with a fraction of the memory. Where nothing is chosen, only where it does not fit otherwise.',
  'param.train.precision':
    'What weights are kept in; of a run with an adapter, the frozen ones. In bfloat16 an update is rounded at random, so that small steps are not lost. NF4 is for frozen weights alone.',
  'param.train.optimizer': 'What AdamW’s two moments are kept in. Eight bits take a quarter of the memory.',
  'param.train.lora': 'Trains a small adapter beside frozen weights (LoRA) in place of every parameter.',
  'param.train.lora.rank':
    'Size of the adapter: a higher rank can change the model in more ways and takes more memory.',
  'param.train.lora.alpha': 'Strength of the adapter, which counts alpha / rank times.',
  'param.train.lora.targets': 'Layers that get an adapter: every linear layer, or those of attention alone.',
  'param.rewardedPrompts.share':
    'Share of trained prompts rated by a user who pays compliance, whatever is asked. 0 is self-play alone.',
  'param.rewardedPrompts.baseline':
    'Advantage baseline of rated prompts: the batch, or answers to the same prompt.',
  'param.rewardedPrompts.samplesPerPrompt': 'Answers per rated prompt.',
  'param.supervision.phases.task': 'Probability that a proposed task is reviewed.',
  'param.supervision.phases.plan': 'Probability that a plan is reviewed.',
  'param.supervision.phases.thought': 'Probability that a thought is reviewed.',
  'param.supervision.phases.output': 'Probability that the text of an answer is reviewed.',
  'param.supervision.phases.exec': 'Probability that a batch’s verifier statistics are reviewed.',
  'param.supervision.reviewer':
    'Who reviews: a GGUF model (llama), fixed rules (rubric), your own rules (checklist), or another run’s reviews as a control (yoked).',
  'param.supervision.reviewerSettings':
    'Settings of the chosen reviewer alone, as JSON; for checklist \'{\'"rules": "rules.json"\'}\', for yoked \'{\'"run": "run-…"\'}\'.',
  'param.supervision.model':
    'The supervisor: a name of the library or a GGUF file. It reviews where the reviewer is a model, and words lines where summaries or the context are by model.',
  'param.supervision.threads': 'CPU threads of the supervisor.',
  'param.supervision.budgetSeconds':
    'Seconds of reviewing per step; later reviews are recorded as skipped. None is no limit.',
  'param.supervision.reviewTimeoutSeconds':
    'Seconds one review may take before it is tried again, then recorded as failed.',
  'param.supervision.summaryScope':
    'Reviews that enter the summary: of items the verifier passed (paper) and, of rated answers, those the user was satisfied with; or all.',
  'param.supervision.retry':
    'What the decision to retry does: it is recorded (faithful), or the item is generated once more (a deviation).',
  'param.supervision.summary':
    'What a batch’s reviews say: counted by issue (rule), or one line for each kind of finding by the supervisor’s model.',
  'param.supervision.merge':
    'The next context by rule, from lines the embedded policy was trained on (guidance) or the summaries’ own (text), or by the supervisor’s model.',
  'param.supervision.wordingPrompts':
    'Texts of your own for summaries and merge, in place of those of the prompt pack.',
  'param.supervision.wordingPrompts.system':
    'Stands before both questions; has to hold delimiter in double braces, the mark before what others wrote.',
  'param.supervision.wordingPrompts.summary':
    'Asked for each kind of finding; may hold batch, role, count, issue, findings and facts in double braces.',
  'param.supervision.wordingPrompts.merge':
    'Asked for the next context; may hold lines, count and room in double braces.',
  'param.supervision.contextTokens': 'Most tokens of the supervision context.',
  'param.supervision.contextLines': 'Most lines of the supervision context.',
  'param.supervision.minimumSupport':
    'Reviews in one step that must agree before a line enters; one is enough for a breach of safety.',
  'param.supervision.expirySteps': 'Steps without support after which a line leaves.',
  'param.supervision.contextText':
    'filler shows the policy neutral text of the same length: the control for there being more text.',
  'param.supervision.placing':
    'shuffled gives each review to a random item of its step and phase: the control for whom it is said of.',
  'param.supervision.nothingToCompare':
    'Plans that nothing can be compared with: ask the reviewer all the same, or say so without asking.',
  'param.supervision.guidance':
    'Issues that may bring a line by guidance: those the embedded policy was trained for, or every one, for general models.',
  'param.supervision.fixedContext': 'Lines that stand first in every context, whatever reviews say.',
  'param.supervision.windowTokens':
    'Tokens that a model of your own reads and writes in one review; its eight rows and what stands beside them take memory for it. 4,096 and 8,192 when empty; the embedded supervisor keeps its 1,024.',
  'param.supervision.shownCharacters':
    'Characters a model of your own is shown of the longest text, such as a thought: of a longer one its beginning and its end. 5,000 when empty; shown less where its window is too small.',
  'param.supervision.device':
    'Where the supervisor’s model computes; auto takes a graphics card where llama.cpp finds one. The processor when nothing is chosen.',
  'param.supervision.human':
    'A person answers a share of the reviews while the run is at work, in the room Review.',
  'param.supervision.human.share':
    'Share of the reviewed items that a person answers instead of the reviewer.',
  'param.supervision.human.timeoutSeconds':
    'Seconds each item waits for the person. The step cannot end before.',
  'param.supervision.human.fallback':
    'What happens to an item nobody answered in time: the reviewer reviews it, or it is skipped.',
  'param.sandbox.level':
    'Isolation of model-written programs. unsafe has none and is recorded on every result.',
  'param.sandbox.workers': 'Programs run at the same time.',
  'param.sandbox.cpuSeconds': 'Processor seconds per execution.',
  'param.sandbox.wallSeconds': 'Seconds per execution.',
  'param.sandbox.memoryBytes': 'Bytes of memory per execution.',
  'param.sandbox.outputBytes': 'Bytes a program may print.',
  'param.checkpoints.keepEvery':
    'Every so many steps a checkpoint is kept, besides the first, the newest two and the last. 0 keeps only those.',
  'param.checkpoints.optimizerEvery':
    "Only every so many checkpoints hold the optimizer's moments, which are twice the weights. Resuming from another repeats the updates since, to the same bits. Each holds them when it is not set.",
  'param.evaluation': 'Held-out suites asked of checkpoints while the run is at work.',
  'param.evaluation.every':
    'After every so many steps, and after the last. The weights before step 1 are asked too.',
  'param.evaluation.suites': 'Names of the suites that are asked.',
  'param.evaluation.items': 'Items per suite, the first of its file.',
  'param.evaluation.contexts':
    'none: the weights alone. run: under the supervision context the run has reached. The weights alone when nothing is chosen.',
  'param.evaluation.judge':
    'GGUF model that judges, by library name or path. Suites that need one cannot be asked without.',
  'param.evaluation.tripwires': 'Conditions on scores of the weights alone that mark or pause the run.',
} as const;
