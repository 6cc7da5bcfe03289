import { checkPublishedTasks } from './published-tasks.ts';

checkPublishedTasks(24);
