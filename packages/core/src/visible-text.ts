/**
 * Escapes invisible characters as JSON does (`\u202e`): control characters, line ends, direction marks and zero-width
 * characters. They could control a terminal or disguise a text. Joiners that shape letters or emoji stay.
 */
export function visibleText(text: string): string {
  return text.replace(invisibleCharacters, (sign) =>
    Array.from({ length: sign.length }, (_, at) => escapeOf(sign.charCodeAt(at))).join(''),
  )
}

/** Joiners elsewhere are invisible and escaped. Emoji variation selectors stay. */
const invisibleCharacters =
  /(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:\u200c|\u200d)|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
