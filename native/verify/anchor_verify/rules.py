"""Every rule by name: what it says, and where it is written down. docs/verify.md has the same table
with what each is computed from."""

RUN_RULES: list[tuple[str, str, str]] = [
    ("events.chain", "Each event is hashed with the one before it.", "decision 003"),
    (
        "records.attested",
        "The records are those that the event of their step attests.",
        "decision 003",
    ),
    (
        "steps.chain",
        "Each step's hash is that of its records and of the step before it.",
        "decision 001",
    ),
    (
        "records.times",
        "All was written within its step, and reviewed after it was written.",
        "ANCHOR, A.3",
    ),
    (
        "steps.place",
        "A step has the stage, the iteration and the role that its place in the schedule says.",
        "docs/architecture.md",
    ),
    (
        "tasks.gold",
        "A task's outputs are what its program gives for its inputs.",
        "Absolute Zero, validator",
    ),
    ("tasks.read", "A task is what its proposal wrote.", "Absolute Zero, proposer"),
    (
        "responses.read",
        "Plan, thought, answer and form are those of the response.",
        "Absolute Zero, format",
    ),
    (
        "proposals.verdict",
        "A proposal passes that is allowed, runs, repeats and gives a value.",
        "Absolute Zero, validator",
    ),
    (
        "solutions.verdict",
        "A solution passes that gives the task's gold.",
        "Absolute Zero, verifier",
    ),
    (
        "estimates.verdict",
        "The same of the solutions that only measure a proposal.",
        "Absolute Zero, verifier",
    ),
    (
        "estimates.number",
        "Each new task is measured by the configured number of solutions.",
        "Absolute Zero, n_samples",
    ),
    (
        "tasks.solve_rate",
        "A task's solve rate is the mean accuracy of these solutions.",
        "Absolute Zero, learnability",
    ),
    (
        "rewards.proposer",
        "A proposer earns 1 minus the solve rate, and less for extremes and for what is no task.",
        "Absolute Zero, learnability",
    ),
    (
        "questions.read",
        "A question is what stands between its tags, with a boxed answer after it, asked once.",
        "R-Zero, challenger",
    ),
    (
        "votes.read",
        "An answer to a question is what its last box holds.",
        "R-Zero, solver",
    ),
    (
        "votes.agreement",
        "Answers pass that are in the biggest class of equal ones.",
        "R-Zero, pseudo-label",
    ),
    (
        "votes.label",
        "The label of a question is the first answer of that class.",
        "R-Zero, pseudo-label",
    ),
    (
        "questions.kept",
        "A solver learns from questions of the iteration whose agreement lies in the window.",
        "R-Zero, filter",
    ),
    (
        "rewards.challenger",
        "A challenger earns the doubt of the answers, less what is repeated or left unanswered.",
        "R-Zero, uncertainty and repetition",
    ),
    (
        "rewards.solver",
        "A solver earns its accuracy, -0.5 for a wrong answer, -1 for a broken form.",
        "Absolute Zero, rewards",
    ),
    (
        "rewards.rating",
        "A rated answer earns 1 for compliance and -0.5 otherwise.",
        "docs/verify.md",
    ),
    (
        "rewards.estimate",
        "Solutions that only measure earn nothing.",
        "Absolute Zero, learnability",
    ),
    (
        "rewards.advantage",
        "Advantages are the whitened rewards of a batch of one role and task type.",
        "Absolute Zero, TRR++",
    ),
    (
        "reviews.gate",
        "What is reviewed is what the coin of its seed, step, item and phase says.",
        "ANCHOR, Eq. 5; decision 002",
    ),
    (
        "reviews.material",
        "A review was shown the work of its phase and what the agent saw of the task, no answer.",
        "ANCHOR, Eq. 4",
    ),
    (
        "reviews.statistics",
        "A review of a batch was shown that batch's statistics.",
        "ANCHOR, section 4",
    ),
    (
        "reviews.control",
        "A yoked run has at each place what the other run's review of it says.",
        "controls",
    ),
    (
        "reviews.quarantine",
        "A review with a leak is quarantined, and no other one is.",
        "ANCHOR, section 4",
    ),
    (
        "summaries.scope",
        "A summary counts the reviews of work that the verifier passed.",
        "ANCHOR, A.2",
    ),
    (
        "summaries.points",
        "Its points are the findings of these reviews, and their counts.",
        "ANCHOR, Eq. 6",
    ),
    (
        "summaries.lineage",
        "A worded line of a summary rests on reviews that the summary counts.",
        "ANCHOR, Eq. 6",
    ),
    (
        "contexts.text",
        "A context's text is that of its lines, and its hash that of its text.",
        "ANCHOR, Eq. 7",
    ),
    (
        "contexts.lineage",
        "Each line goes back through a summary of the step to reviews of the step.",
        "ANCHOR, Eq. 7",
    ),
    (
        "contexts.leaks",
        "No line states values or code of the work that its reviews were written about.",
        "ANCHOR, section 4",
    ),
    ("contexts.support", "A line enters that enough reviews support.", "decision 009"),
    (
        "contexts.leaving",
        "A line leaves that nobody supports any more, and none leaves unsaid.",
        "decision 009",
    ),
    ("contexts.conflicts", "No two lines contradict each other.", "decision 009"),
    ("contexts.budget", "A context keeps to its number of lines and tokens.", "decision 009"),
    (
        "prompts.context",
        "Every prompt of a step was made under that step's context.",
        "ANCHOR, section 4",
    ),
    (
        "prompts.system",
        "The system prompt as it was sent holds the context's text.",
        "ANCHOR, section 4",
    ),
    (
        "prompts.sent",
        "All that was sent is the system prompt and what the record has of the user.",
        "ANCHOR, section 4",
    ),
    (
        "prompts.tokens",
        "A prompt has as many tokens as one with that context has.",
        "ANCHOR, section 4",
    ),
    (
        "prompts.task",
        "A solver was shown its task, of an earlier step, and no hidden part of it.",
        "Absolute Zero, solver",
    ),
    (
        "rollouts.logp",
        "A sample of answers has the same log-probability under the weights before the step.",
        "Absolute Zero, TRR++",
    ),
    (
        "checkpoints.files",
        "The files of a checkpoint have the recorded hashes.",
        "docs/reliability.md",
    ),
    ("checkpoints.weights", "The weights in it are those that the step tells.", "decision 001"),
]

EVALUATION_RULES: list[tuple[str, str, str]] = [
    ("events.chain", "Each event is hashed with the one before it.", "decision 003"),
    (
        "evaluations.weights",
        "The weights that were asked are those of the run's checkpoint.",
        "docs/reliability.md",
    ),
    (
        "evaluations.verdicts",
        "An answer passes that its question's gold or program says is right.",
        "docs/verify.md",
    ),
    (
        "evaluations.scores",
        "Scores and intervals are those of the stored verdicts.",
        "Wilson 1927; Chen et al. 2021",
    ),
]
