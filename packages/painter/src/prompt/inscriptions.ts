/** A prompt with its quoted texts taken out. */
export interface Unquoted {
  /** Each text is replaced by `"0"`, `"1"` and so on. */
  readonly prompt: string
  readonly texts: readonly string[]
}

const quotes =
  /"([^"]+)"|“([^”"]+)[”"]|„([^“”"]+)[“”"]|«([^»]+)»|(?<=^|[\s:(])['‘]([^'‘’]+)['’](?=$|[\s.,;:!?)])/g

/** Takes quoted texts out of a prompt. A prompt that is quoted as a whole is no text to be written. */
export function takeQuotes(prompt: string): Unquoted {
  const whole = /^\s*["“'‘](.*)["”'’]\s*\.?\s*$/s.exec(prompt)?.[1]
  if (whole !== undefined && !/["“”]/.test(whole)) return { prompt: whole, texts: [] }
  const texts: string[] = []
  const rest = prompt.replace(quotes, (_, ...found: (string | undefined)[]) => {
    const text = found.slice(0, 5).find((group) => group !== undefined)
    return ` "${texts.push((text ?? '').replace(/\s+/g, ' ').trim()) - 1}" `
  })
  return { prompt: rest, texts }
}
