/** A name for what came in place of a PNG. */
export function kindOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  if (bytes.length === 0) return 'an empty file'
  if (text.startsWith('\xff\xd8\xff')) return 'a JPEG; convert it to PNG'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'a WebP; convert it to PNG'
  if (text.startsWith('GIF8')) return 'a GIF; convert it to PNG'
  if (text.startsWith('BM')) return 'a BMP; convert it to PNG'
  if (text.startsWith('%PDF')) return 'a PDF; convert it to PNG'
  if (text.trimStart().startsWith('<')) return 'text (SVG, XML or HTML)'
  if (!text.includes('\0')) return 'text'
  return 'of another kind'
}
