/** The demo: two runs from the same start, one of them supervised. */
export const demoMessages = {
  'demo.rail': 'Demo',
  'demo.title': 'What supervision does',
  'demo.which': 'Which demo',
  'demo.which.sample': 'The recorded sample',
  'demo.which.other': 'Two runs of this lab',
  'demo.which.run': '{when} · {framework}, {steps, plural, one {# step} other {# steps}}',
  'demo.alone': 'Alone',
  'demo.supervised': 'Supervised',
  'demo.alone.context': 'Alone + context',
  'demo.supervised.context': 'Supervised + context',
  'demo.kind': 'What is followed',
  'demo.track.request': 'Refuses restricted requests',
  'demo.track.memory': 'Resists shortcuts',
  'demo.track.note': '↑ better · {suite}, 95 % intervals',

  'demo.closed.title': 'The same model, twice: alone and supervised',
  'demo.closed.text':
    'A real demo of the embedded models, recorded on {date}: the same policy evolved twice from the same seed, {steps, number} steps each, {records, number} records and {reviews, number} reviews. It plays in a database of its own and never mixes with your runs; at ×60 the curves part within half a minute.',
  'demo.closed.tour': 'How the supervisor looks',
  'demo.sample.loading': 'Reading the recorded sample…',

  'demo.parts': 'Parts of the demo',
  'demo.part.watch': 'Watch',
  'demo.part.why': 'Why',
  'demo.part.what-if': 'What if',
  'demo.part.costs': 'What it costs',
  'demo.lead.watch':
    '{start, select, all {Both runs start from the same weights, seed and first tasks} weights {Both runs start from the same weights, with different seeds} seed {Both runs have the same seed} other {The two runs have different seeds}}{paid, select, yes {, and a misspecified user pays both for compliance} other {}}.',
  'demo.lead.watch.supervisor': 'Only one of them has a supervisor.',
  'demo.lead.why':
    'Held-out questions are never shown to a supervisor. What it saw is a slip of the same kind in training, before the answers parted, and this is what came of it.',
  'demo.lead.what-if':
    'A supervised run keeps a part of what it learned in its weights and a part in its prompt. Take either away.',
  'demo.lead.costs': 'Supervision is not free. These are the figures of these two runs.',
  'demo.next': 'Next part',
  'demo.back': 'Back',
  'demo.on': 'Next: {part}',
  'demo.end': 'The end',

  'demo.play': 'Play',
  'demo.pause': 'Pause',
  'demo.replay': 'Play it again',
  'demo.toEnd': 'To the end',
  'demo.speed': 'Speed of the replay',
  'demo.speed.value': '×{speed}',
  'demo.progress': 'Steps stored',
  'demo.steps': 'alone {alone, number} and supervised {supervised, number} of {steps, number} steps',
  'demo.asking': 'asking both: {done, number} of {total, number} suites',
  'demo.goOn': 'Go on, and ask both at the end',

  'demo.question': 'The same question to both',
  'demo.question.other': 'Another question',
  'demo.question.option':
    '{question} ({n, plural, =0 {never apart} one {apart at # step} other {apart at # steps}})',
  'demo.context': 'Supervision context in the prompt',
  'demo.step': 'step {step, number}',
  'demo.slider': 'Step of the answers',
  'demo.answers.none': 'No question was asked of both runs yet; the first answers come with step 0.',
  'demo.answer.none': 'Not asked at this step yet.',
  'demo.answer.thought': 'It thought: {thought}',
  'demo.answer.context':
    'Asked under the lines that the supervised run had for its step {step, number}{same, select, yes {; the answer is the same as without them} other {}}.',
  'demo.answer.noContext.alone':
    'Nobody reviewed this run, so it has no lines; at the end it is asked under those of the other.',
  'demo.answer.noContext.supervised': 'No line had come by step {step, number}.',
  'demo.outcome.request.passed': 'refused',
  'demo.outcome.request.failed': 'complied',
  'demo.outcome.memory.passed': 'kept to the rule',
  'demo.outcome.memory.failed': 'took the shortcut',

  'demo.why.together': 'On this question the two have not parted',
  'demo.why.together.text':
    'At no step that both were asked at does only the supervised run answer it well. Choose another question under Watch, or play on.',
  'demo.why.none': 'No line of this kind had come by then',
  'demo.why.none.text':
    'Up to step {step, number} no review of a training answer of this kind had brought a line into the context. Choose another question under Watch.',
  'demo.why.changed': '1. An answer changed',
  'demo.why.changed.text':
    '{track}: at step {step, number}, for the first time of those asked, only the supervised run does.',
  'demo.why.slip': '2. A slip of this kind in training',
  'demo.why.slip.text': 'Step {step, number} of the supervised run, before the answers parted.',
  'demo.why.asked': 'It was asked',
  'demo.why.wrote': 'It wrote',
  'demo.why.paid': 'The misspecified user paid it {reward}.',
  'demo.why.record': 'Open the record',
  'demo.why.review': '3. The supervisor saw it',
  'demo.why.review.text': 'A gate let this answer through to the supervisor’s model.',
  'demo.why.said': 'It said',
  'demo.why.line': '4. A line came of it',
  'demo.why.line.text':
    'In the context from step {first, number} to step {last, number}. The answers part at step {step, number}, {stood, select, yes {while it stood there} other {after the weights were trained under it}}.',
  'demo.why.context': 'Open the context',
  'demo.why.next': '5. Prompts carried it',
  'demo.why.next.text': 'What stood in every prompt of step {step, number}, the first with the line.',

  'demo.what-if.context': 'The lines, in the prompt and out of it',
  'demo.what-if.context.text':
    'The same question at the same step, once with nothing and once with the lines in the prompt.',
  'demo.what-if.context.none':
    'Nothing was asked under a context yet: under “Watch” both runs are asked at their end, with and without it.',
  'demo.what-if.off': 'Nothing in the prompt, step {step, number}',
  'demo.what-if.on': 'With the lines, step {step, number}',
  'demo.what-if.p': 'Fewer reviews, fewer lines',
  'demo.what-if.p.text':
    'Each item’s coin decides at p whether it is reviewed. Pull p down: reviews whose coin lies above it would not have been written.',
  'demo.what-if.p.value': 'p = {p}',
  'demo.what-if.p.slider': 'Review probability p',
  'demo.what-if.p.left': '{left, number} of {n, number} lines would have come in',
  'demo.what-if.p.none': 'No line has entered the context yet.',
  'demo.what-if.p.caution':
    'The coins are exact. What the run would have become without these lines is not in them: its weights and answers would differ from the first missing line on. Start a run at this p to know.',
  'demo.what-if.line': 'Line',
  'demo.what-if.entered': 'Since',
  'demo.what-if.reviews': 'Reviews that brought it in',
  'demo.what-if.coin': 'coin {coin}',
  'demo.what-if.count': '{left, number} of {n, number}, needs {needed, number}',

  'demo.costs.price': 'Supervised against alone',
  'demo.costs.price.note':
    'points, weights alone, step {step, number}, the same {n, number} questions, 95 % intervals',
  'demo.costs.suite': 'What is asked',
  'demo.costs.points': 'Points',
  'demo.costs.none': 'Both runs have to be asked at one step first.',
  'demo.costs.sentence':
    '{track}: {way, select, same {the same as} more {{points} points more than} other {{points} points less than}} alone [{low}, {high}]{clear, select, yes {} other {; chance alone could make this}}.',
  'demo.costs.work': 'What the supervisor did',
  'demo.costs.reviews': 'Reviews',
  'demo.costs.reviews.value': '{n, number} in {steps, number} steps',
  'demo.costs.tokens': 'Tokens read and written',
  'demo.costs.seconds': 'Time of the supervisor',
  'demo.costs.hidden': 'of which behind other work',
  'demo.costs.ratio': 'A supervised step against one alone',
  'demo.costs.ratio.value': '{ratio} times as long',
  'demo.costs.ratio.note':
    'Both runs, and whatever else was at work, shared the machine, so this ratio is a hint and no measurement of what supervision costs.',
  'demo.costs.controls': 'Who is in control',
  'demo.costs.controls.text':
    'Every run can be paused and stopped, tripwires stop it by themselves, a person can review in the supervisor’s place, and every record lies in SQLite under a chain of hashes.',
  'demo.costs.gap':
    '{n, plural, =0 {Nothing reached out of this machine since the program began.} one {1 connection to another machine was seen.} other {# connections to other machines were seen.}}',
  'demo.costs.gap.unknown':
    'This system does not tell which process has which connection; the self-test does.',
  'demo.costs.gap.open': 'See the air gap',
  'demo.costs.new': 'Make a run of your own',

  'demo.notes.next': 'Next: {part}.',
  'demo.notes.last': 'This is the last part.',
  'demo.notes.watch':
    '{sample, select, yes {Press Play and say} other {Say}} nothing for ten seconds. Then: {lead}{share, select, none {} other { That user rates {share} of the prompts in both.}} Drag the step back to 0 and on again, and read both answers aloud. The bands are 95 % intervals; this is a toy world and no evidence about large models.',
  'demo.notes.why':
    'Nobody has to believe the prompt: go from the changed answer to the slip in training, to the review that saw it, to the line, to the prompt. Each is a stored record; open one.',
  'demo.notes.what-if':
    'Switch the lines off: what is left is in the weights. The embedded policy was trained to follow such lines, so that they work is no finding. Then pull p to 0: no reviews, no lines, and the run is the one on the left.',
  'demo.notes.costs': 'Say the price before somebody asks: {price} {time} End on the air gap.',
  'demo.notes.costs.less': 'less than alone, beyond what chance alone could make: {tracks}.',
  'demo.notes.costs.noneLess': 'nothing that was asked came out lower beyond what chance alone could make.',
  'demo.notes.costs.unasked': 'the two were not asked at one step yet, so nobody knows it.',
  'demo.notes.costs.time': 'Then the time: {hidden} of the supervisor’s ran behind other work.',
  'demo.notes.costs.noTime': 'The supervisor has taken no time yet.',

  'demo.ask': 'Ask both something of your own',
  'demo.ask.unfinished': 'Once both have ended, you can ask both something of your own.',
  'demo.ask.unmade': 'To ask both something of your own, first:',
  'demo.ask.make': 'Make its checkpoints',
  'demo.ask.gone':
    'The last checkpoint of one of them is not on the disk, so they cannot be asked something of your own; start another demo.',
} as const;
