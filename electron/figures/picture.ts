export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A picture file that stands alone, in the light theme's colours: its title above, `content` as SVG below. */
export const picture = (
  title: string,
  width: number,
  height: number,
  left: number,
  content: string,
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24" role="img" aria-label="${escapeXml(title)}">` +
  `<rect width="${width}" height="${height}" fill="#ffffff"/><text x="${left}" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>${content}</svg>\n`;
