/** A run that leaves the lab as files, wherever that is offered. */
export const runExportMessages = {
  'runExport.card': 'Export',
  'runExport.open': 'Export…',
  'runExport.text':
    'Its records and weights as files in a new folder, for other programs and other machines.',
  'runExport.title': 'Export {name}',
  'runExport.what': 'What is written',
  'runExport.records': 'Records',
  'runExport.records.text':
    'Always: every step under the names of the paper, events, contexts, curves as CSV, the configuration.',
  'runExport.safetensors': 'Weights of step {step, number} as a model folder (safetensors)',
  'runExport.gguf': 'Weights of step {step, number} as one GGUF file (f16)',
  'runExport.peft': 'Adapter of step {step, number} alone (PEFT)',
  'runExport.peft.whole': 'This run trains every parameter, so there is no adapter of it.',
  'runExport.peft.early': 'No step is stored yet, so there is no adapter of it.',
  'runExport.noCheckpoint': 'Its checkpoint is not there, so only the records can be written.',
  'runExport.target': 'New folder',
  'runExport.target.text':
    'A whole path on the machine of the engine. The folder is made and must not be there yet.',
  'runExport.target.partial': 'Write the whole path, from / or a drive on.',
  'runExport.browse': 'Browse…',
  'runExport.choose': 'Choose a folder…',
  'runExport.choose.title': 'The export becomes a new folder in here',
  'runExport.start': 'Export',
  'runExport.done': '{steps, plural, =0 {Written} one {# step written} other {# steps written}} to {folder}',
  'runExport.files': 'In it: {files}',
  'runExport.copy': 'Copy the path',
} as const;
