import fc from 'fast-check'

/**
 * Any Unicode character, alone or not. fast-check's own `unit: 'binary'` is the same, and takes more than a second of
 * CPU time in each process to make its table.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800), codeOf)

function codeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('No character.')
  return code < 0xd800 ? code : code - 0x800
}
