import { Failure, type DatasetFault, type DatasetRefusal } from '../../../contract/index.ts';

const MOST_TOLD = 20;
/** After so many faults a file is not the file it was taken for; counting on helps nobody. */
export const MOST_COUNTED = 10_000;

/** Rows that are refused, in the order they were found; nothing is imported when there is one. */
export class RefusedRows {
  readonly #faults: DatasetFault[] = [];
  count = 0;

  add(fault: DatasetFault): void {
    this.count += 1;
    if (this.#faults.length < MOST_TOLD) this.#faults.push(fault);
  }

  get report(): DatasetRefusal {
    return { faults: [...this.#faults], count: this.count };
  }
}

/** An import that was refused for its rows: the sentence names the first, `refusal` the others. */
export class RowsRefused extends Failure {
  readonly refusal: DatasetRefusal;

  constructor(refusal: DatasetRefusal) {
    super('badDataset', sentenceOf(refusal), 2);
    this.refusal = refusal;
  }
}

function sentenceOf({ faults: [first], count }: DatasetRefusal): string {
  const where =
    first === undefined ? 'The files' : first.row === null ? first.file : `Row ${first.row} of ${first.file}`;
  const more =
    count > 1
      ? ` ${count >= MOST_COUNTED ? 'Thousands of' : count - 1} more ${count === 2 ? 'row is' : 'rows are'} refused as well.`
      : '';
  return `${where} is refused: ${first?.why ?? 'they hold no rows'}.${more} Nothing was imported; take the file as it was published.`;
}
