export * from './raw-item.ts';
export * from './facts/index.ts';
export * from './reviewers/issues.ts';
export * from './reviewers/review-answer.ts';
export * from './reviewers/review-prompt.ts';
export * from './reviewers/rubric-rules.ts';
