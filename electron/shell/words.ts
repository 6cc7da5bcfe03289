/** What the shell itself says to a person: in the system's dialogs, menus and notices. The page has its own catalogue. */
export const WORDS = {
  name: 'Anchor Lab',
  menu: {
    file: 'File',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
    quit: 'Quit',
    close: 'Close the window',
  },
  engine: {
    restarted: (n: number): string =>
      `The engine ended unexpectedly and was started again (${n === 1 ? 'once' : `${n} times`} so far). Runs that were at work are interrupted; resuming them repeats the step they were in.`,
    restarting: 'The engine ended unexpectedly and is being started again. Every stored step is safe.',
    gaveUp: (n: number, minutes: number): string =>
      `The engine ended unexpectedly ${n} times within ${minutes} minutes and is not started again by itself. Every stored step is safe. Look at the log, then try again.`,
  },
  quit: {
    title: 'Runs are at work',
    at: (name: string, step: number, steps: number): string => `“${name}” is in step ${step} of ${steps}.`,
    detail:
      'A step that is not finished is thrown away and repeated when the run is resumed. Stored steps are safe in any case.',
    finish: 'Finish the step, then quit',
    background: 'Close the window, finish the step, then quit',
    cancel: 'Cancel',
    finishingTitle: 'Anchor Lab quits as soon as the step is stored',
    now: 'Quit now, repeat the step later',
    wait: 'Keep waiting',
    unknown: 'The engine does not answer, so it is not known whether a run is at work.',
  },
  ended: {
    done: (name: string): string => `Finished: ${name}`,
    doneText: (steps: number): string => `All ${steps} steps are stored.`,
    failed: (name: string): string => `Failed: ${name}`,
    failedText: (stored: number, steps: number): string => `${stored} of ${steps} steps are stored.`,
  },
  save: {
    failed: (path: string, why: string): string =>
      `${path} could not be written: ${why}. Choose another place.`,
  },
  start: { title: 'Anchor Lab cannot start' },
} as const;
