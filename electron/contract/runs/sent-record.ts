import type { RolloutRecord } from './records.ts';

/** The parts that are read out of a response, so that they usually stand in it word for word. */
const PARTS = ['plan', 'thought', 'answer'] as const;
type Part = (typeof PARTS)[number];
/** Where a part stands in its response's text, in UTF-16 code units; `to` is the first one behind it. */
type Place = { from: number; to: number };

/** A rollout as it is sent to a window: what stands in its text is sent once, which halves a response of a megabyte. */
export type SentRollout = Omit<RolloutRecord, Part> & Record<Part, RolloutRecord[Part] | Place>;

/** Code units by which a place is found, and how many such places are looked at: a text of an agent may repeat itself without end. */
const BEGINNING = 64;
const MOST_PLACES = 16;

export function sentRollout(rollout: RolloutRecord): SentRollout {
  const placed = (part: Part): RolloutRecord[Part] | Place =>
    rollout[part] === null ? null : (placeOf(rollout[part], rollout.text) ?? rollout[part]);
  return { ...rollout, plan: placed('plan'), thought: placed('thought'), answer: placed('answer') };
}

/** The rollout as it was stored. */
export function receivedRollout(sent: SentRollout): RolloutRecord {
  const whole = (part: Part): RolloutRecord[Part] => {
    const value = sent[part];
    return value === null || typeof value === 'string' ? value : sent.text.slice(value.from, value.to);
  };
  return { ...sent, plan: whole('plan'), thought: whole('thought'), answer: whole('answer') };
}

function placeOf(part: string, text: string): Place | null {
  const beginning = part.slice(0, BEGINNING);
  let from = text.indexOf(beginning);
  for (let looked = 0; from !== -1 && looked < MOST_PLACES; looked += 1) {
    if (text.startsWith(part, from)) return { from, to: from + part.length };
    from = text.indexOf(beginning, from + 1);
  }
  return null;
}
