type JsonTokenKind = 'key' | 'string' | 'number' | 'word' | 'mark' | 'space' | 'other'

/** A piece of text, for syntax highlighting. `mark` is punctuation, `word` is `true`, `false` or `null`. */
export interface JsonToken {
  readonly kind: JsonTokenKind
  readonly text: string
}

const pattern =
  /(?<string>"(?:[^"\\]|\\.)*"?)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<word>\b(?:true|false|null)\b)|(?<mark>[{}[\]:,])|(?<space>\s+)|(?<other>[^"\d{}[\]:,\s-]+|[\s\S])/gy

/** Splits text into JSON tokens. Any text is accepted, and joining the tokens always results in the same text. */
export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  for (const match of text.matchAll(pattern)) {
    const kind = kindOf(match.groups ?? {})
    tokens.push({ kind, text: match[0] })
  }
  tokens.forEach((token, index) => {
    if (token.kind !== 'string') return
    const next = tokens[index + 1]?.kind === 'space' ? tokens[index + 2] : tokens[index + 1]
    if (next?.text === ':') tokens[index] = { kind: 'key', text: token.text }
  })
  return tokens
}

function kindOf(groups: Record<string, string | undefined>): JsonTokenKind {
  const kinds = ['string', 'number', 'word', 'mark', 'space'] as const
  return kinds.find((kind) => groups[kind] !== undefined) ?? 'other'
}

/** Returns JSON with line breaks and indentation. Text that is not JSON is returned unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
