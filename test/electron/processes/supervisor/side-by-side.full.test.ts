// @module-tag full
import { it } from 'vitest';
import { fetchGguf, missingModel } from '../../../support/public-models.ts';
import { answersSideBySide } from './side-by-side.ts';

const file = fetchGguf('smollm2-135m');
if (file === null) it.skip(missingModel('smollm2-135m'), () => {});
else answersSideBySide('SmolLM2-135M', () => file);
