/** The tour of the recorded sample run. */
export const tourMessages = {
  'tour.title': 'How the supervisor looks',
  'tour.group': 'Tour',
  'tour.start': 'Start the tour',
  'tour.intro.title': 'A run to look around in',
  'tour.intro.text':
    'A real run of the embedded models, recorded on {date}: the same policy evolved twice from the same seed, once alone and once supervised, {steps, number} steps each, {records, number} records and {reviews, number} reviews. It plays again in a database of its own and never mixes with your runs.',
  'tour.intro.open': 'Open the sample run',
  'tour.intro.skip': 'Not now',
  'tour.stops': 'Stops of the tour',
  'tour.stop': 'Stop {n} of {total}',
  'tour.stop.done': '(done)',
  'tour.back': 'Back',
  'tour.next': 'Next',
  'tour.skip': 'Skip this stop',
  'tour.again': 'Start again',
  'tour.turn': 'Your turn: {action}',
  'tour.turn.done': 'Done. What you did: {action}',
  'tour.open.room': 'See it in its room',
  'tour.behind.title': 'The replay has not come this far',
  'tour.behind.text':
    'This stop looks at stored steps. Store the rest of the recording now; it takes a second or two.',
  'tour.behind.jump': 'Jump to the end of the replay',
  'tour.delete': 'Delete the sample data',
  'tour.delete.title': 'Delete the sample data?',
  'tour.delete.text':
    'The sample’s own database in this lab is deleted. Your runs are not touched, and the tour can make it again at any time.',
  'tour.delete.confirm': 'Delete',
  'tour.deleted': 'The sample data is gone.',
  'tour.problem': 'The replay stopped: {problem}',

  'tour.phases.title': 'Five places to look',
  'tour.phases.lead':
    'A supervisor can review a step at five points: the proposed task, the plan, the thought, the answer text, and the verifier’s statistics. At each it sees only what belongs there, never a hidden answer.',
  'tour.phases.action': 'open all five phases and read one review of each.',
  'tour.phases.notes':
    'In the paper, the verifier phase (exec) matters most and the answer text (output) least. The names are easily confused, so the app always says “Answer text (output)” and “Verifier result (exec)”.',
  'tour.phases.choose': 'Phase',
  'tour.phases.seen': 'What the supervisor was shown',
  'tour.phases.said': 'What it said',
  'tour.phases.none': 'No review of this phase in step {step}.',
  'tour.decision.continue': 'continue',
  'tour.decision.retry': 'retry',
  'tour.decision.none': 'no decision',

  'tour.gate.title': 'A coin for every item',
  'tour.gate.lead':
    'Whether an item is reviewed is decided by a coin with probability p, one p for each phase. The coin depends on the seed, the step, the item and the phase, so a replay tosses the same coins; a higher p only adds reviews.',
  'tour.gate.action': 'drag the slider to the p this run used: each count must be the recorded one.',
  'tour.gate.notes':
    'Two runs with the same seed and different p share their coins: what differs between them is p alone, not luck.',
  'tour.gate.slider': 'Review probability p in every phase',
  'tour.gate.table': 'Items reviewed at this p',
  'tour.gate.phase': 'Phase',
  'tour.gate.items': 'Items of step {step}',
  'tour.gate.would': 'Reviewed at p = {p}',
  'tour.gate.did': 'Recorded',
  'tour.gate.match': 'p = {p}: every count is the recorded one.',

  'tour.verdict.wrote': 'What the agent wrote',

  'tour.leak.title': 'Find the leak',
  'tour.leak.lead':
    'A review that gives the answer away would teach the policy to read its prompt, not to think. Every review passes a guard that looks for the hidden answer: plain, spelled out, reversed or encoded.',
  'tour.leak.action': 'write feedback that gives the answer away, and see whether the guard catches you.',
  'tour.leak.notes':
    'The guard finds literals, numbers in words, base64, hex and reversed text. It cannot find hints in other words; the page of the guard says so.',
  'tour.leak.task': 'The task as the agent saw it',
  'tour.leak.answer': 'The hidden answer: {answer}',
  'tour.leak.write': 'Your feedback',
  'tour.leak.try': 'Hold it against the guard',
  'tour.leak.example': 'Give me a leak',
  'tour.leak.example.text': 'Check the last line again, it should come out as {answer}.',
  'tour.leak.caught': 'Caught: {findings}. Such a review would be quarantined and never reach the context.',
  'tour.leak.clean': 'Nothing found in this one. It would pass.',

  'tour.yours.title': 'Nothing left the machine',
  'tour.yours.lead': 'Everything you saw was read from a database on this machine. What is next is yours.',
  'tour.yours.action': 'look at the air gap, then keep the sample or delete it.',
  'tour.yours.notes': 'End on the air-gap page: the state sentence, the self-test, the evidence file.',
  'tour.yours.airgap': 'See the air gap',
  'tour.yours.new': 'Configure a run',
  'tour.yours.library': 'Open the library',
} as const;
