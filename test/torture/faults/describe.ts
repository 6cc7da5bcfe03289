import type { Outcome } from './fault.ts';

export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'goesOn':
      return 'the run goes on to the same result';
    case 'stops':
      return `the run stops with "${outcome.sentence.source}" and, continued, ends with the same result`;
    case 'refused':
      return `continuing is refused with "${outcome.sentence.source}"`;
    case 'noticed':
      return `the check of the lab says "${outcome.sentence.source}"`;
    case 'reviewsFail':
      return `the run goes on; reviews are recorded as ${outcome.status} with "${outcome.sentence.source}"`;
  }
}
