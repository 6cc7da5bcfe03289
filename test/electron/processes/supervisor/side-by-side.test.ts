import { scratch, supervisorModel } from '../support.ts';
import { answersSideBySide } from './side-by-side.ts';

const folder = scratch();

answersSideBySide('a random model', () => supervisorModel(folder));
