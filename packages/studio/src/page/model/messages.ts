import type { Message } from '@capstan/core'

/** The message that began a run, as the reader wrote it. */
export interface Input {
  readonly text: string
  /** Ids of the attached artifacts. */
  readonly attachments: readonly string[]
}

/** Returns the input of a run: the user's messages at the end of its first state. */
export function inputOf(messages: readonly Message[]): Input {
  const last = messages.findLastIndex(({ role }) => role !== 'user')
  const own = messages.slice(last + 1)
  const attachments = own.flatMap(({ media }) =>
    Array.isArray(media) ? media.flatMap(({ artifact }) => (artifact ? [artifact] : [])) : [],
  )
  return { text: own.map(wordsOf).join('\n\n'), attachments: [...new Set(attachments)] }
}

/** The text of a message, without the part that names its files. */
function wordsOf({ content, media }: Message): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part) => (typeof part.text === 'string' ? part.text : ''))
  const isNamed = Array.isArray(media) && texts.at(-1)?.trimStart().startsWith('Attached: ')
  return (isNamed ? texts.slice(0, -1) : texts).join('')
}
