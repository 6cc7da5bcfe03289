/** Names that Windows gives to devices, with or without an ending. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * Why an archive's entry may not have this name; null when it may. Nothing is ever written under these names, but an archive with
 * such a name was made to harm, and the names stand in tables and in the folders of those who unpack it elsewhere.
 */
export function badEntryName(name: string): string | null {
  if (name === '' || name.length > 1024) return 'its name is empty or longer than 1024 characters';
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'its name has a control character';
  if (name.includes('\\')) return 'its name has a backslash';
  if (name.startsWith('/') || /^[a-zA-Z]:/.test(name)) return 'its name is not below the archive';
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.length > 16) return 'it lies more than 16 folders deep';
  for (const part of parts) {
    if (part === '..' || part === '.' || part === '') return 'its name leads out of the archive';
    if (part.includes(':')) return 'its name has a colon, which names a hidden stream on some systems';
    if (DEVICES.test(part)) return 'its name is that of a device on some systems';
    if (/[ .]$/.test(part)) return 'its name ends in a dot or a space, which some systems drop';
  }
  return null;
}

/** Two names that are one on some system: composed the same way, in the same case. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');
