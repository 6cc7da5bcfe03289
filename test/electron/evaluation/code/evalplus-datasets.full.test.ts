// @module-tag full
import { checkPublishedTasks } from './published-tasks.ts';

checkPublishedTasks(1);
