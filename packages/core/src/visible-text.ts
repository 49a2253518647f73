/**
 * A text in which nothing is hidden: control characters, line ends, marks of direction and characters of no width
 * become escapes as JSON has them (`\u202e`). They could command a terminal, or show a text that is not the one there.
 * Joiners stay where they shape letters or emoji.
 */
export function visibleText(text: string): string {
  return text.replace(hidden, (sign) =>
    Array.from({ length: sign.length }, (_, at) => escapeOf(sign.charCodeAt(at))).join(''),
  )
}

/** A joiner behind anything else is of no width, as the rest. Selectors of the form of an emoji stay. */
const hidden =
  /(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:\u200c|\u200d)|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
