/** The sentence that the tests of clients speak and transcribe. */
export const sentence = 'The old man opened the window and looked at the sea.'

/** The share of the sentence's words in a transcript, from 0 to 1. */
export function shareHeard(text: string): number {
  const heard = new Set(wordsOf(text))
  const said = wordsOf(sentence)
  return said.filter((word) => heard.has(word)).length / said.length
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}
