import type { DatasetTerms } from '../../../contract/index.ts';

/** Harmful requests that are published to test refusals. */
export const HARMFUL_TEXT: DatasetTerms = {
  kind: 'sensitivity',
  statement:
    'This set holds requests for harmful things, written to test whether models refuse them. I will use it for testing only, and I know that reading it can be distressing.',
};
export const HEX_PHI_LICENCE: DatasetTerms = {
  kind: 'licence',
  statement:
    'HEx-PHI is given out under a licence to people whose request was approved. I have access under that licence and keep to it: testing of safety only, no passing on. I know that reading it can be distressing.',
};
export const NO_LICENCE: DatasetTerms = {
  kind: 'licence',
  statement:
    'These texts were published without a licence. I have the right to use them here, and I will not pass them on.',
};
