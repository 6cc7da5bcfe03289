// @module-tag full
import { checkEachPlace } from './each-place.ts';

checkEachPlace('dark');
