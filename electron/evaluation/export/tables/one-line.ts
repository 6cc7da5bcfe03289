/** Text for a cell of a page: one line, no control characters, nothing that turns its neighbours around, no half characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
}
