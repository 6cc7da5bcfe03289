import './ui.css';

export * from './mantine.ts';
export { ModelSelect, type ModelChoice } from './model-select.tsx';
export {
  Page,
  useRoomNavigate,
  useRoomParameter,
  useRoomSearch,
  type Room,
  type RoomPage,
  RunTabs,
} from './page.tsx';
export {
  Banner,
  EmptyState,
  ErrorPanel,
  Loading,
  NoMatch,
  QueryState,
  following,
  PartBanner,
  StaleBanner,
  type Problem,
  type Read,
} from './states.tsx';
export { CopyButton, ConfirmButton } from './buttons.tsx';
export {
  Bytes,
  Duration,
  Num,
  Percent,
  When,
  bytesText,
  durationText,
  numberText,
  OVERRIDDEN,
  OverriddenMark,
  percentText,
  shortDurationText,
  PhaseChip,
  Quiet,
  StatusDot,
  Term,
  parametersText,
} from './values.tsx';
export { Notes, PresenterButtons, usePresentedNotes, type PresenterNotes } from './presenter-notes.tsx';
export { batchText, IssueName, issueText, reviewerText } from './names.tsx';
export { TextBlock } from './text-block.tsx';
export { useTextScale } from './text-scale.ts';
export { quotedSpan, visibleString } from '../i18n/index.ts';
export { DataList, WindowedList } from './lists.tsx';
export { SortedGrid } from './sorted-grid.tsx';
export { FilterInput } from './filter-input.tsx';
export { FolderBrowser, FolderView } from './folder-browser.tsx';
export { LabelAccuracyTable } from './label-accuracy.tsx';
export { JobLine } from './job-line.tsx';
export { VerificationLines, VerificationPanel } from './verification.tsx';
export { ReportButton } from './report-button.tsx';
export { RunExportButton } from './run-export.tsx';
export { JudgeProbeNote } from './judge-probe.tsx';
export { CsvButton } from './csv-button.tsx';
export { csvText, fileName, SavedFrom, saveTable, saveText, useFileName } from './saving.tsx';
