export { makeReport, reportSubjectSchema, type Report, type ReportSubject } from './report.ts';
export { changeText, pText } from './words.ts';
export { programVersions, type ReportSources } from './sources.ts';
