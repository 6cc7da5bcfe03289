export { makeReport, reportSubjectSchema, type Report, type ReportSubject } from './report.ts';
export { changeText, pText, shareText } from './words.ts';
export { programVersions, type ReportSources } from './sources.ts';
